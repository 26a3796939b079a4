"""Scores of several parsers by the length of sentences and by coarse tag, side by side (Figures 3
and 4 of "RNN-Based Sequence-Preserved Attention for Dependency Parsing")."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..scoring.breakdown import Attached
from .pictures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Groups = Mapping[str, Mapping[str, Attached]]
"""For each parser how its tokens are attached, by group."""
Scores = Mapping[str, Mapping[str, float]]
"""For each parser the score, from 0 to 1, of each group."""
SHOWN = 0.005
"""Groups with a smaller share of the tokens are not drawn."""
BARS = 0.8
"""The share of a group's room that its bars take."""


def draw_breakdown(lengths: Groups, tags: Groups, metric: Literal["las", "uas"]) -> "Figure":
    """A figure with a line for each parser over lengths and a bar for each over tags.

    Needs matplotlib; raises MissingMatplotlibError."""
    of_lengths, of_tags = _large(lengths, metric), _large(tags, metric)
    figure = new_figure(11, 4.2, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2, 3))
    for name, scores in of_lengths.items():
        left.plot(list(scores), [100 * score for score in scores.values()], "o-", label=name)
    left.set_xlabel("words of the sentence")
    groups = list(dict.fromkeys(tag for scores in of_tags.values() for tag in scores))
    width = BARS / max(len(of_tags), 1)
    for number, (name, scores) in enumerate(of_tags.items()):
        places = np.arange(len(groups)) - BARS / 2 + width * (number + 0.5)
        values = [100 * scores.get(group, np.nan) for group in groups]
        right.bar(places, values, width, label=name)
    right.set_xticks(range(len(groups)), labels=groups, rotation=60, ha="right")
    right.set_xlabel("coarse tag, most frequent first")
    for axes, shown in ((left, of_lengths), (right, of_tags)):
        _fit(axes, shown)
        axes.set_ylabel(metric.upper())
        axes.grid(axis="y", color="#ececec")
        axes.set_axisbelow(True)
    left.legend()
    return figure


def _large(groups: Groups, metric: str) -> Scores:
    """The scores of groups that are large enough to be compared."""
    found = {}
    for name, of_one in groups.items():
        enough = SHOWN * sum(one.tokens for one in of_one.values())
        large = {group: one for group, one in of_one.items() if one.tokens >= enough}
        found[name] = {group: getattr(one, metric) for group, one in large.items()}
    return found


def _fit(axes: "Axes", scores: Scores) -> None:
    """From a round number below the lowest score to the highest."""
    values = [100 * value for of_one in scores.values() for value in of_one.values()]
    if values:
        low = max(0.0, 10 * np.floor(min(values) / 10 - 0.2))
        axes.set_ylim(low, min(100.0, max(values) + 0.1 * (max(values) - low) + 0.5))
