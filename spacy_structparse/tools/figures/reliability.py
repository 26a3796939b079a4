"""Reliability diagrams: how many decisions of a parser are right, by how sure it was of them.

A diagram has a point for each range of confidence, at the mean confidence and the share of right
decisions. Calibrated confidence lies on the diagonal; below it a parser is too sure. Bars show how
many decisions are in each range.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...scoring.calibration import N_BINS, Outcomes, expected_calibration_error, reliability
from ...viz.paint import cut
from .pictures import MAX_LABEL, fonts_for, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 3.4
"""The inches from one diagram to the next."""
MOST_BAR = 0.35
"""The height of the bar of the fullest range, of the diagram's."""


def draw_reliability(of_pipelines: Mapping[str, Mapping[str, Outcomes]]) -> "Figure":
    """Draw a row of diagrams for each pipeline, one for each kind of decisions.

    Args:
        of_pipelines: For each pipeline its decisions by their kind, such as ``heads``. Kinds
            without decisions are left out.

    Raises:
        ImportError: matplotlib is not installed.
    """
    rows = [
        [(f"{cut(name, MAX_LABEL)}: {kind}", one) for kind, one in kinds.items() if len(one.right)]
        for name, kinds in of_pipelines.items()
    ]
    columns = max(map(len, rows))
    figure = new_figure(SIDE * columns, SIDE * len(rows), layout="constrained")
    panels = figure.subplots(len(rows), columns, squeeze=False)
    for of_row, row in zip(panels, rows, strict=True):
        for axes in of_row[len(row) :]:
            axes.set_axis_off()
        for axes, (title, outcomes) in zip(of_row, row, strict=False):
            _draw_diagram(axes, title, outcomes)
    return figure


def _draw_diagram(axes: "Axes", title: str, outcomes: Outcomes) -> None:
    error = expected_calibration_error(outcomes) or 0.0
    bins = [(place, one) for place, one in enumerate(reliability(outcomes)) if one is not None]
    most = max(one.n for _, one in bins)
    axes.bar(
        [place / N_BINS for place, _ in bins],
        [MOST_BAR * one.n / most for _, one in bins],
        width=1 / N_BINS,
        align="edge",
        color="#c9d9ea",
    )
    axes.plot([0, 1], [0, 1], "--", color="#808080")
    axes.plot([one.confidence for _, one in bins], [one.right for _, one in bins], "o-")
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="confidence", ylabel="right")
    note = f"ECE {100 * error:.1f} %, {len(outcomes.right):,} decisions"
    axes.set_title(f"{title}\n{note}", fontsize="medium", fontfamily=fonts_for([title]))
