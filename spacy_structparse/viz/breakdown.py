"""Scores of several parsers by the length of sentences and by coarse tag, side by side (Figures 3
and 4 of "RNN-Based Sequence-Preserved Attention for Dependency Parsing"), and by how far heads are.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..scoring.breakdown import Breakdown, groups_of
from .pictures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scores = Mapping[str, Mapping[str, float]]
"""For each parser the score, from 0 to 1, of each group."""
SHOWN = 0.003
"""Groups with a smaller share of the tokens are not drawn."""
ABREAST = 0.5
"""The share of a group's room over which the points of parsers are spread."""


def draw_breakdown(of_parsers: Mapping[str, Breakdown], metric: Literal["las", "uas"]) -> "Figure":
    """A figure with a line for each parser over lengths and distances and points over tags: bars
    would have to begin at 0, where no parser is.

    Needs matplotlib; raises MissingMatplotlibError."""
    figure = new_figure(11, 8, layout="constrained")
    (of_length, of_pos), (of_distance, of_found) = figure.subplots(2, 2)
    for axes, kind, what in (
        (of_length, "length", "words of the sentence"),
        (of_distance, "distance", "words to the right head: recall"),
        (of_found, "found", "words to the head that was found: precision"),
    ):
        scores = _large(of_parsers, kind, metric)
        groups = groups_of(scores.values())
        for name, of_one in scores.items():
            values = [100 * of_one.get(group, np.nan) for group in groups]
            axes.plot(groups, values, "o-", label=name)
        _finish(axes, scores, what, metric)
    scores = _large(of_parsers, "pos", metric)
    groups = groups_of(scores.values())
    middle = (len(scores) - 1) / 2
    for number, (name, of_one) in enumerate(scores.items()):
        places = np.arange(len(groups)) + ABREAST * (number - middle) / max(len(scores), 1)
        of_pos.plot(places, [100 * of_one.get(group, np.nan) for group in groups], "o", label=name)
    for edge in range(1, len(groups)):
        of_pos.axvline(edge - 0.5, color="#ececec", zorder=0)
    of_pos.set_xticks(range(len(groups)), labels=groups, rotation=60, ha="right")
    _finish(of_pos, scores, "coarse tag, most frequent first", metric)
    of_length.legend()
    return figure


def _large(of_parsers: Mapping[str, Breakdown], kind: str, metric: str) -> Scores:
    """The scores of groups that are large enough to be compared."""
    found = {}
    for name, of_one in of_parsers.items():
        groups = getattr(of_one, kind)
        enough = SHOWN * sum(one.tokens for one in groups.values())
        large = {group: one for group, one in groups.items() if one.tokens >= enough}
        found[name] = {group: getattr(one, metric) for group, one in large.items()}
    return found


def _finish(axes: "Axes", scores: Scores, what: str, metric: str) -> None:
    """Name the axes, and show what is between a round number below the lowest score and the
    highest."""
    axes.set_xlabel(what)
    axes.set_ylabel(f"{metric.upper()}, no PUNCT")
    axes.grid(axis="y", color="#ececec")
    axes.set_axisbelow(True)
    values = [100 * value for of_one in scores.values() for value in of_one.values()]
    if values:
        low = max(0.0, 10 * np.floor(min(values) / 10 - 0.2))
        axes.set_ylim(low, min(100.0, max(values) + 0.1 * (max(values) - low) + 0.5))
