"""Heat maps of attention (Vinyals et al. 2015, Figure 4; Ma et al. 2017, Figures 1 and 3).

Rows are words, columns steps. Pictures grow with the sentence up to a bound; beyond it cells get
smaller, and labels are left out where they would overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...viz.paint import cell_width, cut
from .pictures import MAX_LABEL, fonts_for, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, but for the fonts (points).
CELL = 0.19
MAX_PANEL = 60.0
MIN_PANEL = 4.5
LABEL_SPACE = 0.13
CHARACTER = 0.07
TITLE = 0.55
BAR_SPACE = 0.7
FONT_SIZE = 8.0
NEGLIGIBLE = 0.004
"""The share of the full scale below which a weight has no colour that can be seen."""


@dataclass(frozen=True)
class AttentionMap:
    """The attention of T steps over P positions.

    positions: P, the words and the encoder's end symbol. steps: T, the names of the actions.
    weights: (T, P), what each position got before each action. kind: "probabilistic",
    "deterministic" or "none". title: of the picture. marked: a step to point out.
    For pages only: probabilities (T,), those of the actions; stacks: T, what was on the stack after
    each action, the bottom first; tree: the finished one.
    """

    positions: Sequence[str]
    steps: Sequence[str]
    weights: np.ndarray
    kind: str
    title: str = ""
    marked: int | None = None
    probabilities: np.ndarray = field(default_factory=lambda: np.zeros(0))
    stacks: Sequence[Sequence[str]] = ()
    tree: str = ""

    @property
    def full_scale(self) -> float:
        """The weight of the darkest colour: 1 for probabilities; for deterministic attention,
        which is spread evenly over several positions, the most that one of them got."""
        highest = float(self.weights.max())
        return highest if self.kind == "deterministic" and highest > 0 else 1.0


def explain_scale(shown: AttentionMap) -> str:
    """The meaning of the colours, in words."""
    if not shown.weights.any():
        return "this parser has no attention"
    if shown.kind == "deterministic":
        return f"deterministic attention; darkest: {shown.full_scale:.2f}"
    return f"{shown.kind} attention; darkest: 1"


def draw_attention(maps: Sequence[AttentionMap]) -> "Figure":
    """A figure with one panel for each map, one below the other.

    Raises:
        ImportError: matplotlib is not installed.
        ValueError: There are no maps.
    """
    if not maps:
        raise ValueError("There is no attention to draw.")
    words = CHARACTER * max(_width(label) for shown in maps for label in shown.positions)
    actions = CHARACTER * max(_width(label) for shown in maps for label in shown.steps)
    panel = max(MIN_PANEL, max(_inches(len(shown.steps)) for shown in maps))
    heights = [TITLE + _inches(len(shown.positions)) + actions for shown in maps]
    figure = new_figure(words + panel + BAR_SPACE, sum(heights), layout="constrained")
    panels = figure.subplots(len(maps), squeeze=False, height_ratios=heights)
    for axes, shown in zip(panels.flat, maps, strict=True):
        _draw_panel(figure, axes, shown, title=_title(shown, int(panel / CHARACTER)))
    return figure


def _inches(cells: int) -> float:
    return min(cells * CELL, MAX_PANEL)


def _width(text: str) -> int:
    """The number of columns of a label, which is cut if it is long."""
    return min(cell_width(text), MAX_LABEL)


def _title(shown: AttentionMap, most: int) -> str:
    """The title in at most so many cells; what the colours mean is never cut."""
    meaning = explain_scale(shown)
    if not shown.title:
        return meaning
    return f"{cut(shown.title, max(most - len(meaning) - 5, MAX_LABEL))}   ({meaning})"


def _draw_panel(figure: "Figure", axes: "Axes", shown: AttentionMap, title: str) -> None:
    cells = axes.imshow(
        shown.weights.T,
        cmap="Blues",
        vmin=0.0,
        vmax=shown.full_scale,
        aspect="auto",
        interpolation="nearest",
    )
    places, steps = _labels(shown.steps)
    axes.set_xticks(places, labels=steps, rotation=90, fontfamily=fonts_for(steps))
    if shown.marked is not None:
        axes.axvspan(shown.marked - 0.5, shown.marked + 0.5, fill=False, edgecolor="#d62728")
        if shown.marked in places:
            axes.get_xticklabels()[places.index(shown.marked)].set_color("#d62728")
    places, words = _labels(shown.positions)
    axes.set_yticks(places, labels=words, fontfamily=fonts_for(words))
    axes.tick_params(length=0, labelsize=FONT_SIZE, pad=2)
    axes.set_title(title, loc="left", fontsize=FONT_SIZE + 1, fontfamily=fonts_for([title]))
    if shown.weights.any():
        bar = figure.colorbar(cells, ax=axes, aspect=30, pad=0.02)
        bar.ax.tick_params(labelsize=FONT_SIZE - 1, length=2)


def _labels(labels: Sequence[str]) -> tuple[range, list[str]]:
    """The labels of rows or columns with their places, every k-th where all would overlap."""
    every = int(np.ceil(LABEL_SPACE / (_inches(len(labels)) / len(labels))))
    places = range(0, len(labels), every)
    return places, [cut(labels[place], MAX_LABEL) for place in places]
