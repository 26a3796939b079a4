"""`viz.render`: styles, files, pages, notebooks and what is escaped."""

import re
import sys
import xml.etree.ElementTree as ET
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse import viz
from spacy_structparse.brackets import Bracket
from spacy_structparse.extensions.confidence import set_arc_confidence, set_bracket_confidence
from spacy_structparse.trees import Tree, set_trees
from spacy_structparse.viz import rendering
from tests.helpers.tree_docs import doc_of_trees

NS = "{http://www.w3.org/2000/svg}"
COOK = "(S (NP (DT The) (NN cook)) (VP (VBZ stirs) (NP (NN soup))))"
DOGS = "(S (NP (NNS Dogs)) (VP (VBP bark)))"
COOK_WORDS = ["The", "cook", "stirs", "soup"]
HOSTILE = "</text></pre><script>\x1b[2J\u202e&"
STYLES: tuple[viz.Style, ...] = (
    "tree", "arcs", "confidence", "brackets", "terminal",
)  # fmt: skip


def a_doc(*brackets: str) -> Doc:
    return doc_of_trees(spacy.blank("xx").vocab, brackets)


def text_of(page: str) -> str:
    """The text of an HTML page, and no script in it."""
    assert "<script" not in page
    return unescape(re.sub("<[^>]*>", "", page))


def rendered(doc: Any, style: viz.Style = "tree", **options: Any) -> str:
    text = viz.render(doc, style, **options)
    assert text is not None
    return text


def test_a_tree_is_drawn_as_it_draws_itself() -> None:
    doc = a_doc(COOK, DOGS)
    first, second = (Tree.from_string(text) for text in (COOK, DOGS))
    assert rendered(doc) == first.to_svg() + second.to_svg()
    assert rendered([*doc.sents][1]) == second.to_svg()
    assert rendered([doc, doc]) == rendered(doc) * 2
    assert rendered(doc[2:4]) == Tree.from_string("(VP (VBZ stirs) (NP (NN soup)))").to_svg()


def test_brackets_can_be_read_back() -> None:
    doc = a_doc(COOK, "(S (X -LRB-a-RRB-) (Y كتب))")
    text = rendered(doc, "brackets", width=20)
    assert text.startswith("(S\n  (NP")
    first, second = (one._.constituency_tree for one in doc.sents)
    assert text == f"{first.pretty(20)}\n{second.pretty(20)}\n"


def test_the_terminal_style_shows_what_there_is() -> None:
    doc = a_doc(DOGS)
    assert rendered(doc, "terminal", color=False) == (
        "Dogs bark\n\nS ┬ NP ─ NNS Dogs\n  └ VP ─ VBP bark\n"
    )
    assert "\x1b[" in rendered(doc, "terminal", color=True)
    heads = Doc(doc.vocab, words=["Dogs", "bark"], heads=[1, 1], deps=["nsubj", "ROOT"])
    text = rendered(heads, "terminal", color=False)
    assert "nsubj" in text and "No tree" not in text


@pytest.mark.parametrize("style", STYLES)
def test_pages_and_notebooks_hold_words_as_text(
    style: viz.Style, monkeypatch: pytest.MonkeyPatch
) -> None:
    doc = Doc(spacy.blank("xx").vocab, words=[HOSTILE, "كتب"], heads=[0, 0], deps=["r", "<b>"])
    words = [Tree("X", word=token.text) for token in doc]
    set_trees(doc, [Tree("<S>", words)])
    set_bracket_confidence(doc, {Bracket("<S>", 0, 2): 0.5})
    page = rendered(doc, style, page=True)
    assert r"</text></pre><script>\x1b[2J\u202e&" in text_of(page)
    assert ("<b>" if style == "arcs" else "<S>") in text_of(page)
    assert "\x1b" not in page and "\u202e" not in page
    assert '<p dir="auto">' in page
    assert "overflow-x: auto" in page
    assert ("\u2068كتب\u2069" in page) == (style == "terminal")
    shown: list[Any] = []
    notebook = ModuleType("IPython.display")
    monkeypatch.setattr(notebook, "HTML", str, raising=False)
    monkeypatch.setattr(notebook, "display", shown.append, raising=False)
    monkeypatch.setitem(sys.modules, "IPython.display", notebook)
    assert viz.render(doc, style, jupyter=True) is None
    [markup] = shown
    assert "script>" in text_of(markup)
    assert markup.startswith('<span class="tex2jax_ignore">')
    monkeypatch.setattr(rendering, "is_in_jupyter", lambda: True)
    assert viz.render(doc, style) is None
    assert viz.render(doc, style, jupyter=False) is not None


def test_files_by_suffix(tmp_path: Path) -> None:
    doc = Doc(a_doc(COOK).vocab, words=COOK_WORDS, heads=[1, 2, 2, 2], deps=list("abcd"))
    set_trees(doc, [Tree.from_string(COOK)])
    set_bracket_confidence(doc, {Bracket("NP", 0, 2): 0.5})
    for style, suffix in zip(STYLES, (".SVG", ".svg", ".svg", ".txt", ".txt"), strict=True):
        path = tmp_path / f"{style}{suffix}"
        text = viz.render(doc, style, output=path, color=True)
        assert path.read_text(encoding="utf8") == text
        assert text == viz.render(doc, style, color=False, width=80)
        page = tmp_path / "new" / f"{style}.html"
        text = viz.render(doc, style, output=str(page))
        assert text == viz.render(doc, style, page=True, width=80)
        assert page.read_text(encoding="utf8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("style", "name", "says"),
    [
        ("tree", "a.png", r"must end in \.svg, \.html, \.htm, \.tex for"),
        ("brackets", "a.svg", r"must end in \.txt"),
        ("tree", "a.svg", r"one of 2 drawings: write a page \(\.html\)"),
        ("dep", None, "'dep'.*tree, arcs, confidence"),
    ],
)
def test_what_cannot_be_rendered(tmp_path: Path, style: Any, name: str | None, says: str) -> None:
    output = None if name is None else tmp_path / name
    with pytest.raises(ValueError, match=says):
        viz.render(a_doc(COOK, DOGS), style, output=output)
    assert list(tmp_path.iterdir()) == []


def test_without_a_parse_there_is_an_error() -> None:
    doc = spacy.blank("xx")("No parse")
    for style, says in (("tree", r"'other'"), ("terminal", "tree or dep"), ("arcs", "no sentence")):
        with pytest.raises(ValueError, match=says):
            viz.render(doc, style, spans_key="other")  # type: ignore[arg-type]
    with pytest.raises(viz.ConfidenceError, match=r"\.confidence = True"):
        viz.render(a_doc(COOK), "confidence")
    with pytest.raises(ValueError, match="nothing to draw"):
        viz.render([])
    with pytest.raises(TypeError, match="there is 'N' to draw: give a Doc"):
        viz.render("No parse")  # type: ignore[arg-type]


def test_sentences_without_a_tree_are_left_out_and_other_groups_are_read() -> None:
    doc = a_doc(COOK, DOGS)
    trees = [None, Tree.from_string(DOGS)]
    set_trees(doc, trees, spans_key="other")
    assert rendered(doc, spans_key="other") == trees[1].to_svg()  # type: ignore[union-attr]
    text = rendered(doc, "terminal", spans_key="other", color=False)
    assert text.count("No tree") == 1


def attributes_of(svg: str) -> dict[str, dict[str, str]]:
    return {node.text or "": node.attrib for node in ET.fromstring(svg).iter(f"{NS}text")}


def test_confidence_is_a_number_and_a_colour(tmp_path: Path) -> None:
    doc = Doc(a_doc(COOK).vocab, words=COOK_WORDS, heads=[1, 2, 2, 2], deps=list("abcd"))
    set_trees(doc, [Tree.from_string(COOK)])
    set_arc_confidence(doc, np.array([[1, 1], [1, 0.999], [0.9, 0.25], [np.nan, np.nan]]))
    arcs = attributes_of(rendered(doc, "confidence"))
    # Rounded down; the last arc has none, and the colour of the text.
    assert {"a 100%", "b 99%", "c 25%", "d"} <= set(arcs)
    assert (arcs["a 100%"]["fill"], arcs["c 25%"]["fill"]) == ("#0079cc", "#c75300")
    assert "text-decoration" in arcs["c 25%"] and "text-decoration" not in arcs["b 99%"]
    assert "fill" not in arcs["d"]
    # With both, the tree stands below the arcs in one drawing, which a file can hold.
    set_bracket_confidence(doc, {Bracket("VP", 2, 4): 0.75})
    path = tmp_path / "confidence.svg"
    viz.render(doc, "confidence", output=path)
    root = ET.parse(path).getroot()
    upper, lower = root.findall(f".//{NS}svg")
    assert int(lower.attrib["y"]) == int(upper.attrib["height"])
    assert int(root.attrib["height"]) == int(upper.attrib["height"]) + int(lower.attrib["height"])
    tree = attributes_of(ET.tostring(lower, encoding="unicode"))
    assert {"S", "VP 75%", "NP"} <= set(tree)
    # Half way from the one colour to the other: (199, 83, 0) and (0, 121, 204).
    assert tree["VP 75%"]["fill"] == f"#{round(99.5):02x}{102:02x}{102:02x}"
