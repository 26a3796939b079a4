"""Reliability diagrams: a point for each range of confidence, at its accuracy."""

import re
from xml.etree import ElementTree

import numpy as np

from spacy_structparse.scoring.calibration import Outcomes
from spacy_structparse.tools.figures.reliability import LEFT, SIDE, TOP, draw_reliability

SVG = "{http://www.w3.org/2000/svg}"


def outcomes(*pairs: tuple[float, bool]) -> Outcomes:
    confidence, right = zip(*pairs, strict=True)
    return Outcomes(np.array(confidence), np.array(right))


def test_points_are_where_confidence_and_accuracy_are() -> None:
    found = outcomes((0.05, False), (0.98, True), (0.96, True), (0.97, False), (0.97, True))
    root = ElementTree.fromstring(draw_reliability({"mine": {"heads": found}}))
    points = [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in root.iter(f"{SVG}circle")]
    # 0.05 is never right; of those around 0.97 three of four are.
    expected = [
        (LEFT + 0.05 * SIDE, TOP + SIDE),
        (LEFT + 0.97 * SIDE, TOP + 0.25 * SIDE),
    ]
    np.testing.assert_allclose(points, expected, atol=0.06)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert "mine: heads" in texts
    # 1/5 * 0.05 + 4/5 * |0.97 - 0.75| = 0.186
    assert "ECE 18.6 %, 5 decisions" in texts


def test_a_row_for_each_pipeline_and_a_diagram_for_each_kind() -> None:
    one = outcomes((0.5, True))
    nothing = Outcomes(np.zeros(0), np.zeros(0, dtype=bool))
    kinds = {"heads": one, "labels": one, "brackets": nothing}
    drawn = draw_reliability({"a": kinds, "<b> with a name that is long": kinds})
    root = ElementTree.fromstring(drawn)
    titles = [t.text for t in root.iter(f"{SVG}text") if t.get("font-weight") == "bold"]
    assert titles == [
        "a: heads",
        "a: labels",
        "<b> with a name…: heads",
        "<b> with a name…: labels",
    ]
    sizes = re.search(r'width="(\d+)" height="(\d+)"', drawn)
    assert sizes is not None
    assert drawn.isascii() or "…" in drawn


def test_nothing_to_draw() -> None:
    ElementTree.fromstring(draw_reliability({}))
