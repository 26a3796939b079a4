"""Drawings and pages as PNG and PDF."""

import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse import viz
from spacy_structparse.viz.browser import CHROMIUM, SCALE
from tests.helpers.chromium import chromium_or_skip


@pytest.fixture
def doc(monkeypatch: pytest.MonkeyPatch) -> Doc:
    monkeypatch.setenv(CHROMIUM, chromium_or_skip())
    words = "كتب الولد الدرس".split()
    return Doc(spacy.blank("xx").vocab, words=words, heads=[0, 0, 0], deps=["root", "nsubj", "obj"])


def test_a_drawing_has_its_own_size(doc: Doc, tmp_path: Path) -> None:
    svg = viz.render(doc, "arcs")
    assert svg is not None
    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    png, pdf = tmp_path / "arcs.png", tmp_path / "arcs.pdf"
    assert viz.render(doc, "arcs", output=png) is not None
    # The width and the height of a PNG are in bytes 16 to 24.
    assert struct.unpack(">II", png.read_bytes()[16:24]) == (SCALE * width, SCALE * height)
    viz.render(doc, "arcs", output=pdf)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf.read_bytes())
    [(points, _)] = boxes  # one page
    # A point is 1/72 of an inch, a pixel 1/96.
    assert float(points) == pytest.approx(width * 72 / 96, abs=1)


def test_several_sentences_are_a_page(doc: Doc, tmp_path: Path) -> None:
    one, two = tmp_path / "one.png", tmp_path / "two.png"
    viz.render(doc, "terminal", output=one)
    viz.render([doc, doc], "terminal", output=two)
    heights = [struct.unpack(">II", path.read_bytes()[16:24])[1] for path in (one, two)]
    assert heights[1] > 1.3 * heights[0]
