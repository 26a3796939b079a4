"""Drawings and pages as PNG and PDF."""

import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse import viz
from spacy_structparse.trees import Tree, set_trees
from spacy_structparse.viz.page import CHROMIUM, SCALE, WIDTH
from tests.helpers.chromium import chromium_or_skip


@pytest.fixture
def doc(monkeypatch: pytest.MonkeyPatch) -> Doc:
    monkeypatch.setenv(CHROMIUM, chromium_or_skip())
    words = "كتب الولد الدرس".split()
    return Doc(spacy.blank("xx").vocab, words=words, heads=[0, 0, 0], deps=["root", "nsubj", "obj"])


def size(png: Path) -> tuple[int, int]:
    """The width and the height of a PNG, in its bytes 16 to 24."""
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    return width, height


def size_of_svg(doc: Doc, style: viz.Style) -> tuple[int, int]:
    svg = viz.render(doc, style)
    assert svg is not None
    root = ET.fromstring(svg)
    return int(root.attrib["width"]), int(root.attrib["height"])


def test_a_drawing_has_its_own_size(doc: Doc, tmp_path: Path) -> None:
    width, height = size_of_svg(doc, "arcs")
    png, pdf = tmp_path / "arcs.png", tmp_path / "arcs.pdf"
    assert viz.render(doc, "arcs", output=png) is not None
    assert size(png) == (SCALE * width, SCALE * height)
    viz.render(doc, "arcs", output=pdf)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf.read_bytes())
    [(points, _)] = boxes  # one page
    # A point is 1/72 of an inch, a pixel 1/96.
    assert float(points) == pytest.approx(width * 72 / 96, abs=1)


def test_several_sentences_are_a_page(doc: Doc, tmp_path: Path) -> None:
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    viz.render(doc, "terminal", output=one)
    viz.render([doc, doc], "terminal", output=two)
    assert size(two)[1] > 1.3 * size(one)[1]


def test_pictures_of_text_and_of_wide_pages_are_whole(doc: Doc, tmp_path: Path) -> None:
    set_trees(doc, [Tree.from_string("(S (A كتب) (B الولد) (C الدرس))")])
    text = tmp_path / "text.png"
    viz.render(doc, "terminal", output=text)
    # A table of four lines above the tree of three; a drawing of the tree has no table.
    assert size(text)[1] > 2 * SCALE * size_of_svg(doc, "tree-horizontal")[1]
    words = ["word"] * 40
    wide = Doc(doc.vocab, words=words, heads=[0] * 40, deps=["dep"] * 40)
    page = tmp_path / "page.png"
    viz.render([wide, doc], "arcs", output=page)
    # The drawing is wider than the browser's window, and the page has margins too.
    assert size(page)[0] > SCALE * size_of_svg(wide, "arcs")[0] > SCALE * WIDTH
