"""A claim of a paper beside what was measured, and the table of several."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from statistics import mean
from typing import Any

from ..record import Figures, read_result
from .effects import Effect, Seeds, Settings, effect, verdict
from .markdown import Cell, table
from .page import ByName
from .tables import runs_by_seed

OfRun = Callable[[Figures], Any]
"""Finds a figure, or a list of figures of several seeds, in those of a result."""


@dataclass(frozen=True)
class Arm:
    """One of two models that are compared.

    Attributes:
        results: Names of the results that have its figures.
        read: Reads its score by seed from the figures of all results.
    """

    results: tuple[str, ...]
    read: Callable[[ByName], Seeds]


def runs(results: Sequence[str], row: str, *score: str) -> Arm:
    """A row of one result or of several, which differ in rows or seeds; F1 if no score is named."""
    find = at(*score or ("const_f",))
    names = tuple(name for name in results if row in read_result(name).figures["rows"])

    def read(figures: ByName) -> Seeds:
        rows = (figures[name]["rows"][row] for name in names)
        return {run["seed"]: find(run) for run in runs_by_seed(rows)}

    return Arm(names, read)


def value(result: str, find: OfRun) -> Arm:
    """What a function finds in a result: a figure of one run, or of several."""

    def read(figures: ByName) -> Seeds:
        found = find(figures[result])
        return dict(enumerate(found if isinstance(found, list) else [found]))

    return Arm((result,), read)


def at(*keys: str) -> OfRun:
    """A function that follows keys to a figure."""
    return lambda found: reduce(getitem, keys, found)


@dataclass(frozen=True)
class Measured:
    """What was measured of a claim.

    Attributes:
        on: The treebank and, if it is not dev, the part.
        settings: Whose settings the runs have, and which of them differ.
        arms: A and B; one of a figure that is not compared with another.
    """

    on: str
    settings: tuple[Settings, str]
    arms: tuple[Arm, ...]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Attributes:
        text: "A better than B".
        paper: What the paper reports, and on what.
        change: What would change the verdict.
        here: What was measured; empty if nothing was run.
        lower: The lower the better, as perplexities are; A and B are compared by their quotient.
        absolute: Why a figure that is not compared with another gets no verdict.
    """

    text: str
    paper: str
    change: str
    here: tuple[Measured, ...] = ()
    lower: bool = False
    absolute: str | None = None

    def results(self) -> tuple[str, ...]:
        """Names of the results that it is judged by."""
        names = (name for one in self.here for arm in one.arms for name in arm.results)
        return tuple(dict.fromkeys(names))

    def rows(self, figures: ByName) -> list[list[Cell]]:
        """Rows of the table: one for each measurement, of which the first names the claim."""
        if not self.here:
            return [[self.text, self.paper, "", "", "", "not run", self.change]]
        rows: list[list[Cell]] = []
        for i, measured in enumerate(self.here):
            text, paper, change = ("", "", "") if i else (self.text, self.paper, self.change)
            shown, seeds, judged = self._judged(figures, measured)
            settings = ": ".join(filter(None, measured.settings))
            rows.append([text, paper, f"{shown} ({seeds})", measured.on, settings, judged, change])
        return rows

    def _judged(self, figures: ByName, measured: Measured) -> tuple[str, str, str]:
        """What was measured, seeds and the verdict."""
        arms = [arm.read(figures) for arm in measured.arms]
        if self.absolute:
            (scores,) = (arm.values() for arm in arms)
            return f"{mean(scores):.1f}", str(len(scores)), f"none: {self.absolute}"
        if self.lower:
            arms = [{seed: -math.log(x) for seed, x in arm.items()} for arm in arms]
        a, b = arms
        found = effect(a, b)
        seeds = ", ".join(map(str, found.seeds))
        return _shown(found, self.lower), seeds, verdict(found, measured.settings[0])


def _shown(found: Effect, lower: bool) -> str:
    """An effect with its interval; of negative logarithms as quotients."""
    if lower:
        shown = f"{math.exp(-found.gain):.3f}"
        ends = [f"{math.exp(-end):.3f}" for end in reversed(found.interval or ())]
    else:
        shown = f"{found.gain:+.2f}"
        ends = [f"{end:.2f}" for end in found.interval or ()]
    return f"{shown} [{', '.join(ends)}]" if ends else shown


Several = tuple[Measured, ...]
ANOTHER_TREEBANK = "another treebank"
NO_FIGURE = "no figure in the paper"
CRAFT_5K, EWT_5K = "CRAFT 5000", "EWT 5000"
UAS = "dep_uas_nopunct"
MORE_SEEDS = "seeds 1 and 2"


def compared(
    on: str,
    settings: tuple[Settings, str],
    results: Sequence[str],
    rows: Sequence[str],
    *score: str,
) -> Measured:
    """A and B are rows of the same results."""
    return Measured(on, settings, tuple(runs(results, row, *score) for row in rows))


def beams(on: str, how: str, result: str, score: str, *widths: str) -> Several:
    """The same parsers with two beams."""
    arms = tuple(value(result, at(w, score)) for w in widths)
    return (Measured(on, ("other", how), arms),)


HEADER = ("claim", "the paper", "here", "on", "settings", "verdict", "what would change it")


def claims_table(claims: Sequence[Claim], figures: ByName) -> str:
    """The table of claims."""
    return table(HEADER, [row for claim in claims for row in claim.rows(figures)])
