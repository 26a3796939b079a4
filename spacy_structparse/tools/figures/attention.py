"""Heat maps of attention (Vinyals et al. 2015, Figure 4; Ma et al. 2017, Figures 1 and 3).

Rows are words, columns steps. Pictures grow with the sentence up to a bound; beyond it cells get
smaller, and labels are left out where they would overlap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from ...viz.cells import cell_width, cut
from .attention_map import AttentionMap, explain_scale
from .pictures import MAX_LABEL, fonts_for, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, but for the fonts (points).
CELL = 0.19
MAX_PANEL = 60.0
LABEL_SPACE = 0.13
CHARACTER = 0.07
MARGIN = 0.15
TITLE = 0.4
COLOUR_BAR = 0.12
BAR_SPACE = 0.55
MIN_WIDTH = 5.0
FONT_SIZE = 8.0
LARGE = 60
"""A picture of more rows or columns has the labels of the others on both sides."""
NEGLIGIBLE = 0.004
"""Weights below this share of the full scale are not drawn: no colour of theirs can be seen."""


def draw_attention(maps: Sequence[AttentionMap]) -> "Figure":
    """A figure with one panel for each map, one below the other. Needs matplotlib.

    Raises MissingMatplotlibError; ValueError without maps."""
    if not maps:
        raise ValueError("There is no attention to draw.")
    words = MARGIN + CHARACTER * max(_width(label) for shown in maps for label in shown.positions)
    actions = MARGIN + CHARACTER * max(_width(label) for shown in maps for label in shown.steps)
    panels = [_Panel.of(shown, words, actions) for shown in maps]
    width = max(MIN_WIDTH, max(panel.right for panel in panels) + BAR_SPACE)
    height = sum(panel.height for panel in panels)
    figure = new_figure(width, height)
    top = height
    for shown, panel in zip(maps, panels, strict=True):
        top -= panel.above + panel.h
        axes = figure.add_axes((words / width, top / height, panel.w / width, panel.h / height))
        bar = figure.add_axes(
            (
                (panel.right + 0.1) / width,
                top / height,
                COLOUR_BAR / width,
                min(panel.h, 3.0) / height,
            )
        )
        _draw_panel(figure, axes, bar, shown)
        title = _title(shown, int(width / CHARACTER))
        figure.text(
            0.1 / width,
            (top + panel.h + panel.above - 0.25) / height,
            title,
            fontsize=FONT_SIZE + 1,
            fontfamily=fonts_for([title]),
        )
        top -= actions
    return figure


@dataclass(frozen=True)
class _Panel:
    """Inches: the cells are w wide and h high, have `above` over them with the title, and end with
    the labels beside them at `right`; the whole panel is `height` high."""

    w: float
    h: float
    above: float
    right: float
    height: float

    @classmethod
    def of(cls, shown: AttentionMap, words: float, actions: float) -> Self:
        """words, actions: the room that the labels of rows and of columns need."""
        w, h = _inches(len(shown.steps)), _inches(len(shown.positions))
        above = TITLE + (actions if len(shown.positions) > LARGE else 0.0)
        right = words + w + (words if len(shown.steps) > LARGE else 0.0)
        return cls(w, h, above, right, above + h + actions)


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


def _draw_panel(figure: "Figure", axes: "Axes", bar: "Axes", shown: AttentionMap) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Rectangle

    n_steps, n_positions = shown.weights.shape
    # Cells worth drawing, as squares: SVGs stay small, and sharp at any size.
    steps, positions = np.nonzero(shown.weights >= NEGLIGIBLE * shown.full_scale)
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) - 0.5
    squares = np.stack([steps, positions], axis=1)[:, None, :] + corners
    cells = PolyCollection(
        list(squares),
        array=shown.weights[steps, positions],
        cmap="Blues",
        clim=(0.0, shown.full_scale),
        edgecolors="none",
        zorder=2,
    )
    axes.add_collection(cells, autolim=False)
    axes.set_xlim(-0.5, n_steps - 0.5)
    axes.set_ylim(n_positions - 0.5, -0.5)
    _label(axes, "x", shown.steps)
    _label(axes, "y", shown.positions)
    axes.tick_params(
        length=0,
        labelsize=FONT_SIZE,
        pad=2,
        labelright=n_steps > LARGE,
        labeltop=n_positions > LARGE,
    )
    for side in axes.spines.values():
        side.set_edgecolor("#bbbbbb")
    if shown.marked is not None:
        axes.add_patch(
            Rectangle(
                (shown.marked - 0.5, -0.5),
                1,
                n_positions,
                fill=False,
                edgecolor="#d62728",
                zorder=3,
            )
        )
        labels = axes.get_xticklabels()
        ticks = axes.get_xticks().tolist()
        if shown.marked in ticks:
            labels[ticks.index(shown.marked)].set_color("#d62728")
    figure.colorbar(cells, cax=bar)
    bar.tick_params(labelsize=FONT_SIZE - 1, length=2)
    bar.set_visible(bool(shown.weights.any()))


def _label(axes: "Axes", axis: Literal["x", "y"], labels: Sequence[str]) -> None:
    """Labels of rows or columns, every k-th where all would overlap, with hairlines between
    cells."""
    count = len(labels)
    every = int(np.ceil(LABEL_SPACE / (_inches(count) / count)))
    places = range(0, count, every)
    shown = [cut(labels[place], MAX_LABEL) for place in places]
    fonts = fonts_for(shown)
    if axis == "x":
        axes.set_xticks(places, labels=shown, fontfamily=fonts)
        axes.tick_params(axis="x", rotation=90)
        axes.vlines(np.arange(every, count, every) - 0.5, -0.5, 1e6, "#ececec", lw=0.5, zorder=1)
    else:
        axes.set_yticks(places, labels=shown, fontfamily=fonts)
        axes.hlines(np.arange(every, count, every) - 0.5, -0.5, 1e6, "#ececec", lw=0.5, zorder=1)
