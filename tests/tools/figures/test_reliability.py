"""Reliability diagrams: a point for each range of confidence, at its accuracy."""

import numpy as np
import pytest

from spacy_structparse.scoring.calibration import Outcomes

pytest.importorskip("matplotlib", reason="pictures are drawn by matplotlib")

from spacy_structparse.tools.figures.reliability import draw_reliability


def outcomes(*pairs: tuple[float, bool]) -> Outcomes:
    confidence, right = zip(*pairs, strict=True)
    return Outcomes(np.array(confidence), np.array(right))


def test_a_row_for_each_pipeline_and_a_point_for_each_range() -> None:
    found = outcomes((0.05, False), (0.98, True), (0.96, True), (0.97, False), (0.97, True))
    nothing = Outcomes(np.zeros(0), np.zeros(0, dtype=bool))
    figure = draw_reliability(
        {"mine": {"heads": found, "brackets": nothing}, "b": {"heads": found, "labels": found}}
    )
    drawn = [axes for axes in figure.axes if axes.axison]
    titles = [axes.get_title().split("\n") for axes in drawn]
    # 1/5 * 0.05 + 4/5 * |0.97 - 0.75| = 0.186
    note = "ECE 18.6 %, 5 decisions"
    assert titles == [["mine: heads", note], ["b: heads", note], ["b: labels", note]]
    # 0.05 is never right; of those around 0.97 three of four are.
    _, points = drawn[0].lines
    np.testing.assert_allclose(points.get_xydata(), [(0.05, 0), (0.97, 0.75)])
