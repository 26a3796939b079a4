"""Scores of several parsers side by side, by the length of sentences and by parts of a parse.

Of dependencies: by coarse tag (with lengths Figures 3 and 4 of "RNN-Based Sequence-Preserved
Attention for Dependency Parsing"), and by how far heads are. Of trees: by label and by the words of
a bracket, and for all sentences up to some length (Figure 3 of "Grammar as a Foreign Language").
"""

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np

from .breakdown_scores import ATTACHMENT, BRACKETS, Figures, groups_of
from .pictures import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scores = Mapping[str, Mapping[str, float]]
"""For each parser the score, from 0 to 1, of each group."""
SHOWN = 0.003
"""Groups with a smaller share of the tokens, or of the gold brackets, are not drawn."""
ABREAST = 0.5
"""The share of a group's room over which the points of parsers are spread."""
NOTE_WIDTH = 150
"""The letters of a line below the drawings."""


POINTS = ("pos", "label")
"""Groups that are in no order: they have points. Others are joined by lines."""


def draw_breakdown(figures: Mapping[str, Figures], metric: str) -> "Figure":
    """A figure of four groupings of tokens or of brackets: bars would have to begin at 0, where no
    parser is. Below those of brackets are the numbers of sentences that have no score.

    Args:
        figures: The breakdowns.
        metric: The score: ``las`` or ``uas``, or ``f1`` of brackets.

    Raises:
        ImportError: matplotlib is not installed.
    """
    of_brackets = metric == "f1"
    views, counted = (BRACKETS, "brackets") if of_brackets else (ATTACHMENT, "tokens")
    scored = "F1 of brackets" if of_brackets else f"{metric.upper()}, no PUNCT"
    figure = new_figure(11, 8, layout="constrained")
    panels = figure.subplots(2, 2).flat
    for axes, (kind, _, what, *_) in zip(panels, views, strict=True):
        # Cumulative groups are all large.
        scores = _large(figures[kind], metric, counted, 0.0 if kind == "up_to" else SHOWN)
        draw = _points if kind in POINTS else _lines
        draw(axes, scores, groups_of(scores.values()))
        _finish(axes, scores, what, scored)
    panels[0].legend()
    if of_brackets:
        figure.supxlabel(fill(_note(figures["all"]), NOTE_WIDTH), fontsize="medium")
    return figure


def _note(of_parsers: Figures) -> str:
    """Count sentences that are scored, lack a gold tree, or lack predicted brackets."""
    first = next(iter(of_parsers.values()))
    missed = ", ".join(
        f"{name} {one['failed'] + one['unparsed']:,}" for name, one in of_parsers.items()
    )
    return (
        f"{first['sentences']:,} sentences with a gold tree; {first['without_gold']:,} without one "
        f"are left out. Sentences with no predicted bracket to score, which miss all of theirs: "
        f"{missed}."
    )


def _lines(axes: "Axes", scores: Scores, groups: list[str]) -> None:
    for name, of_one in scores.items():
        values = [100 * of_one.get(group, np.nan) for group in groups]
        axes.plot(groups, values, "o-", label=name)


def _points(axes: "Axes", scores: Scores, groups: list[str]) -> None:
    middle = (len(scores) - 1) / 2
    for number, (name, of_one) in enumerate(scores.items()):
        places = np.arange(len(groups)) + ABREAST * (number - middle) / max(len(scores), 1)
        axes.plot(places, [100 * of_one.get(group, np.nan) for group in groups], "o", label=name)
    for edge in range(1, len(groups)):
        axes.axvline(edge - 0.5, color="#ececec", zorder=0)
    axes.set_xticks(range(len(groups)), labels=groups, rotation=60, ha="right")


def _large(of_parsers: Figures, metric: str, counted: str, share: float) -> Scores:
    """The scores of groups that are large enough to be compared: that have a share of all."""
    found = {}
    for name, of_one in of_parsers.items():
        enough = share * sum(one[counted] for one in of_one.values())
        large = {group: one for group, one in of_one.items() if one[counted] >= enough}
        found[name] = {
            group: one[metric] for group, one in large.items() if one[metric] is not None
        }
    return found


def _finish(axes: "Axes", scores: Scores, what: str, scored: str) -> None:
    """Name the axes, and show what is between a round number below the lowest score and the
    highest."""
    axes.set_xlabel(what)
    axes.set_ylabel(scored)
    axes.grid(axis="y", color="#ececec")
    axes.set_axisbelow(True)
    values = [100 * value for of_one in scores.values() for value in of_one.values()]
    if values:
        low = max(0.0, 10 * np.floor(min(values) / 10 - 0.2))
        axes.set_ylim(low, min(100.0, max(values) + 0.1 * (max(values) - low) + 0.5))
