"""Drawings of dependencies."""

import xml.etree.ElementTree as ET

from spacy_structparse.trees import Tree
from spacy_structparse.trees.svg import draw_tree
from spacy_structparse.trees.svg_document import Look
from spacy_structparse.viz.arcs import draw_arcs

NS = "{http://www.w3.org/2000/svg}"


def places(svg: str) -> dict[str, tuple[float, float]]:
    return {
        node.text or "": (float(node.attrib["x"]), float(node.attrib["y"]))
        for node in ET.fromstring(svg).iter(f"{NS}text")
    }


def test_labels_have_room_and_stand_higher_over_longer_arcs() -> None:
    svg = draw_arcs(
        ["The", "cook", "often", "stirs"], [1, 3, 3, 3], ["det", "nsubj", "advmod", "root"]
    )
    at = places(svg)
    assert at["The"][0] < at["cook"][0] < at["often"][0] < at["stirs"][0]
    # "nsubj" spans "advmod"; the root is above all.
    assert at["root"][1] < at["nsubj"][1] < at["advmod"][1] == at["det"][1]
    assert at["The"][0] < at["det"][0] < at["cook"][0]
    label = "a:very:long:label"
    at = places(draw_arcs(["a", "b"], [1, 1], [label, "root"]))
    # No letter of the font is narrower than a fifth of its size, 14.
    assert at["b"][0] - at["a"][0] > len(label) * 14 / 5
    at = places(draw_arcs(list("abcd"), [2, 3, 2, 2], ["ac", "bd", "root", "cd"]))
    # b's arc crosses a's and spans d's, which stand side by side.
    assert at["bd"][1] < at["ac"][1] == at["cd"][1]


def test_the_first_word_of_a_text_from_right_to_left_is_on_the_right() -> None:
    at = places(draw_arcs(["كتب", "الولد"], [0, 0], ["root", "nsubj"]))
    assert at["كتب"][0] > at["الولد"][0]


def test_looks_are_of_single_arcs_and_nodes() -> None:
    strong = Look("#c75300", is_strong=True)
    svg = draw_arcs(["a", "b"], [1, 1], ["x", "root"], looks={0: strong})
    texts = {node.text: node.attrib for node in ET.fromstring(svg).iter(f"{NS}text")}
    assert (texts["x"]["fill"], texts["x"]["text-decoration"]) == ("#c75300", "underline")
    assert "fill" not in texts["root"]
    # The places are those of the whole tree, whose outer brackets without a name are not drawn.
    tree = Tree("", [Tree.from_string("(S (NP (DT a)) (VP (V b)))")])
    drawn = ET.fromstring(draw_tree(tree, looks={4: strong}))
    filled = [node.text for node in drawn.iter(f"{NS}text") if "fill" in node.attrib]
    assert filled == ["VP"]


def test_labels_and_tags_say_what_they_mean_and_words_do_not() -> None:
    arcs = draw_arcs(["NN", "b"], [1, 1], ["nsubj:pass 97%", "<x>"], ["VBZ", "q"])
    tree = draw_tree(Tree.from_string("(WHNP-1 (QQ NN))"))
    hints = [node.text for svg in (arcs, tree) for node in ET.fromstring(svg).iter(f"{NS}title")]
    assert hints == [
        "nsubj:pass: nominal subject",
        "VBZ: verb, 3rd person singular present",
        "WHNP-1: wh-noun phrase",
    ]


def test_words_and_labels_are_escaped() -> None:
    svg = draw_arcs(["<b>", "&\u202e"], [1, 1], ["</svg>", '"'], ["<i>", ""])
    at = places(svg)
    assert {"<b>", r"&\u202e", "</svg>", "<i>"} <= set(at)
