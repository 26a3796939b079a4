"""What breakdowns of scores have in common: groups of numbers, and figures as tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

LENGTHS = (10, 20, 30, 40, 50)
"""The most words of each group of sentences."""

Grouping = dict[str, dict[str, Any]]
"""For each group its counts and scores by name."""
Figures = dict[str, Grouping]
"""One grouping for each parser."""


class Grouped(Protocol):
    """The breakdown of a parser's scores."""

    def figures(self) -> dict[str, Grouping]:
        """Each grouping by name."""


def ranges(most: Sequence[int]) -> list[str]:
    """Names of groups of numbers from 1 on: one that ends at each of `most`, and the larger
    numbers."""
    least = [1, *(n + 1 for n in most)]
    named = [f"{a}" if a == b else f"{a}-{b}" for a, b in zip(least, most, strict=False)]
    return [*named, f"≥ {least[-1]}"]


def group_of(n: int, names: Sequence[str], most: Sequence[int]) -> str:
    """The group that a number is in, of groups that end at each of `most`, and the larger ones."""
    return names[sum(n > one for one in most)]


def groups_of(of_parsers: Iterable[Iterable[str]]) -> list[str]:
    """The groups of one grouping that any parser has, in their order: one that the first parser
    lacks, as it finds no head so far away, stands after the group that it follows elsewhere."""
    merged: list[str] = []
    for groups in of_parsers:
        place = 0
        for name in groups:
            if name not in merged:
                merged.insert(place, name)
            place = merged.index(name) + 1
    return merged


def as_figures(of_parsers: Mapping[str, Grouped]) -> dict[str, Figures]:
    """The figures of each grouping, for tables, pictures and files."""
    figures = {name: of_one.figures() for name, of_one in of_parsers.items()}
    return {
        kind: {name: of_one[kind] for name, of_one in figures.items()}
        for kind in next(iter(figures.values()), {})
    }


def columns_of(
    kind: str, of_parsers: Figures, metrics: Sequence[str], counted: str, *, apart: bool = False
) -> dict[str, list[Any]]:
    """A table of one grouping: its groups, their size, and the scores of each parser in per cent.

    Args:
        kind: The grouping, which names the first column.
        of_parsers: As in :func:`as_figures`.
        metrics: The scores.
        counted: The count that is the size of a group.
        apart: Each parser has its own sizes of groups. Otherwise they are those of the gold data.

    Returns:
        The columns by name. A score is None where a parser lacks the group or the score.
    """
    columns: dict[str, list[Any]] = {kind: groups_of(of_parsers.values())}
    for number, (name, of_one) in enumerate(of_parsers.items()):
        found = [of_one.get(group, {}) for group in columns[kind]]
        if apart or not number:
            columns[f"{counted} {name}" if apart else counted] = [
                one.get(counted, 0) for one in found
            ]
        for metric in metrics:
            scores = [one.get(metric) for one in found]
            columns[f"{metric.upper()} {name}"] = [
                None if score is None else round(100 * score, 2) for score in scores
            ]
    return columns
