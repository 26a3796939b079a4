"""Labelled spans, the plain form in which trees pass between parsers, Docs and scorers."""

from collections.abc import Iterable
from typing import NamedTuple

TOP_LABEL = "TOP"
"""The label of a bracket put over words that have none over all of them."""


class Bracket(NamedTuple):
    """A phrase without its words.

    Attributes:
        label: The phrase label.
        start: The first word or token, counted from 0.
        end: The word or token after the last.
    """

    label: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.label!r} over {self.start} to {self.end}"


def nesting_depth(brackets: Iterable[Bracket]) -> int:
    """The largest number of brackets around one another; brackets in pre-order."""
    ends: list[int] = []
    deepest = 0
    for _, start, end in brackets:
        while ends and ends[-1] <= start:
            ends.pop()
        ends.append(end)
        deepest = max(deepest, len(ends))
    return deepest


def preorder(bracket: Bracket) -> tuple[int, int]:
    """The key that sorts brackets into pre-order; a stable sort keeps the order of unary chains."""
    return bracket.start, -bracket.end


def first_crossing(brackets: Iterable[Bracket]) -> tuple[Bracket, Bracket] | None:
    """Find two brackets that cross each other."""
    around: list[Bracket] = []
    for bracket in sorted(brackets, key=preorder):
        while around and around[-1].end <= bracket.start:
            around.pop()
        if around and bracket.end > around[-1].end:
            return around[-1], bracket
        around.append(bracket)
    return None
