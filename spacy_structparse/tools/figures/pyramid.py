"""The pyramid of all phrases of a sentence, coloured by how much a language model attends to them
(Figures 3 and 4 of "Phrasal Recurrent Neural Network")."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...viz.paint import cell_width, cut
from .pictures import MAX_LABEL, fonts_for, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL = 0.42  # inches from one word to the next
MAX_WIDTH = 40.0
MARGIN = 0.6
FONT_SIZE = 8.0
LETTER = 0.06  # inches that a cell of a word, written slantwise, takes below the pyramid


def draw_pyramid(
    words: Sequence[str],
    weights: Sequence[Sequence[float]],
    tree: Sequence[tuple[int, int]] = (),
    title: str = "",
) -> "Figure":
    """Words side by side, and above them a diamond for every phrase: at its foot on the left the
    phrase's first word, on the right its last. Needs matplotlib.

    weights: for t = 1, ..., n those of the t phrases that end with word t, in the order of their
    first words. tree: spans (start, end), ``end`` exclusive, whose diamonds get a frame. Raises
    ImportError; ValueError where words and weights do not fit together."""
    n = len(words)
    if not n or [len(of_end) for of_end in weights] != list(range(1, n + 1)):
        raise ValueError(
            f"{n} words have phrases that end at {len(weights)} of them; there must be one weight "
            "for every word that a phrase may start with"
        )
    cell = min(CELL, MAX_WIDTH / n)
    labels = [cut(word, MAX_LABEL) for word in words]
    below = LETTER * max(map(cell_width, labels))
    width, height = cell * n + 2 * MARGIN, cell * n / 2 + 2 * MARGIN + below
    figure = new_figure(max(width, 4.0), max(height, 2.0), layout="constrained")
    axes = figure.add_subplot()
    from matplotlib.collections import PolyCollection

    spans = [(start, end) for end in range(n) for start in range(end + 1)]
    x = np.array([(start + end) / 2 for start, end in spans])
    y = np.array([(end - start) / 2 for start, end in spans])
    corner = np.array([[-0.5, 0.0], [0.0, 0.5], [0.5, 0.0], [0.0, -0.5]])
    diamonds = np.stack([x, y], 1)[:, None] + corner
    framed = {(start, end - 1) for start, end in tree}
    values = np.concatenate([np.asarray(of_end, dtype=float) for of_end in weights])
    shown = PolyCollection(
        diamonds, array=values, cmap="Blues", edgecolors="#d9d9d9", linewidths=0.4
    )
    # Frames of the tree over those of its neighbours.
    frames = PolyCollection(
        diamonds[[span in framed for span in spans]],
        facecolors="none",
        edgecolors="#c00000",
        linewidths=1.4,
    )
    shown.set_clim(0.0, 1.0)
    axes.add_collection(shown)
    axes.add_collection(frames)
    axes.set_xlim(-0.7, n - 0.3)
    axes.set_ylim(-0.7, n / 2 + 0.2)
    axes.set_aspect("equal")
    fonts = fonts_for([*labels, title])
    axes.set_xticks(
        range(n), labels=labels, rotation=60, ha="right", fontsize=FONT_SIZE, fontfamily=fonts
    )
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if title:
        axes.set_title(title, fontsize=FONT_SIZE + 1, fontfamily=fonts)
    bar = figure.colorbar(shown, ax=axes, shrink=0.6)
    bar.set_label("weight of the phrase", fontsize=FONT_SIZE)
    bar.ax.tick_params(labelsize=FONT_SIZE)
    return figure
