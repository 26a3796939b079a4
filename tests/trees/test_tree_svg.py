"""Trees drawn as SVG: what is in the drawing, and that nothing in it overlaps."""

import xml.etree.ElementTree as ET
from itertools import pairwise

from hypothesis import given, settings

from spacy_structparse.escaping import escape_control
from spacy_structparse.trees import Tree
from tests.helpers.tree_strategies import NAMES, trees

NS = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[tuple[float, float, str]]:
    """(y, x, text) of every text, from the top row down and left to right."""
    found = ET.fromstring(svg).iter(f"{NS}text")
    return sorted(
        (float(node.attrib["y"]), float(node.attrib["x"]), node.text or "") for node in found
    )


def rows(svg: str) -> list[list[str]]:
    lines: dict[float, list[str]] = {}
    for y, _, text in texts(svg):
        lines.setdefault(y, []).append(text)
    return list(lines.values())


@settings(max_examples=50)
@given(trees(NAMES))
def test_edges_join_labels_and_no_text_meets_another(tree: Tree) -> None:
    svg = tree.to_svg()
    root = ET.fromstring(svg)
    width = float(root.attrib["width"])
    lines: dict[float, list[tuple[float, str]]] = {}
    for y, x, text in texts(svg):
        lines.setdefault(y, []).append((x, text))
    for line in lines.values():
        # Half a label to either side, at the narrowest that letters get to be.
        sides = [(x - 2 * len(text), x + 2 * len(text)) for x, text in line]
        assert sides[0][0] >= -4
        assert sides[-1][1] <= width + 4
        assert all(one[1] < other[0] for one, other in pairwise(sides))
    # Hidden characters are drawn spelled out.
    assert [text for _, text in lines[max(lines)]] == [escape_control(one) for one in tree.words()]
    path = "".join(node.attrib["d"] for node in root.iter(f"{NS}path"))
    assert path.count("L") == len(list(tree)) - 1
    assert path.count("V") == len(tree.words())


def test_markup_and_control_characters_are_text() -> None:
    tree = Tree("A&B", [Tree("<X>", word='"<b>&amp;'), Tree("Y", word="\x00\x1b\ufffe\U0001f600")])
    assert rows(tree.to_svg()) == [
        ["A&B"],
        ["<X>", "Y"],
        ['"<b>&amp;', "\\x00\\x1b\\ufffe\U0001f600"],
    ]
    label = ET.fromstring(tree.to_svg()).attrib["aria-label"]
    assert label.startswith('"<b>&amp; ')


def test_text_from_right_to_left_begins_on_the_right() -> None:
    # "The boy read 7 Apple books": most words are Arabic, and a number has no direction.
    tree = Tree.from_string("(S (V قرأ) (NP (N الولد)) (NP (D 7) (N كتب) (X Apple)))")
    svg = tree.to_svg()
    assert rows(svg)[-1] == ["Apple", "كتب", "7", "الولد", "قرأ"]
    directions = {node.text: node.get("direction") for node in ET.fromstring(svg).iter(f"{NS}text")}
    assert (directions["الولد"], directions["Apple"], directions["7"]) == ("rtl", None, None)
    # A drawing that is wider than the page scrolls from its first word.
    assert ET.fromstring(tree._repr_html_()).attrib["dir"] == "rtl"
    assert "currentColor" in tree._repr_html_() and tree._repr_svg_() == svg
    assert rows(Tree.from_string("(S (A one) (B الولد) (C two))").to_svg())[-1][0] == "one"


def test_brackets_without_label_and_words_of_combining_marks():
    plain, marked = (Tree.from_string(f"( (X {word}) (Y b))") for word in ("a", "a\u0301\u0301"))
    assert [text for _, _, text in texts(plain.to_svg())] == ["X", "Y", "a", "b"]
    width = float(ET.fromstring(plain.to_svg()).attrib["width"])
    assert float(ET.fromstring(marked.to_svg()).attrib["width"]) == width
