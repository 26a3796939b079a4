"""What is known of a constituency tree: spans that must be constituents, and their labels.

A search that keeps them asks a :class:`~spacy_structparse.constraints.Constraint` of the
linearization, see :func:`~.registry.build_constraint`.
"""

from collections.abc import Iterable, Mapping

from ...brackets import Bracket, preorder
from ...constraints import ConstraintError

Limits = tuple[int, int]
"""The first word of a span and the one after its last."""
KnownSpans = Mapping[Limits, frozenset[str]]
"""The labels that each span must have; none: some label. Outer spans stand before inner ones."""


class ImpossibleSpanError(ConstraintError):
    """A known span that no tree of a parser has.

    Attributes:
        limits: The span, over the words of its sentence.
        problem: The reason, which goes on after the name of the span.
    """

    def __init__(self, limits: Limits, problem: str) -> None:
        super().__init__(f"The span over words {limits[0]} to {limits[1]} {problem}.")
        self.limits = limits
        self.problem = problem


def known_spans(brackets: Iterable[Bracket]) -> KnownSpans:
    """Collect the labels of each span. A bracket with the label "" may have any."""
    labels: dict[Limits, set[str]] = {}
    for label, *limits in sorted(brackets, key=preorder):
        start, end = limits
        labels.setdefault((start, end), set()).update({label} - {""})
    return {limits: frozenset(of_span) for limits, of_span in labels.items()}


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


def first_missing(known: KnownSpans, tree: Iterable[Bracket]) -> Limits | None:
    """Find a known span that is no constituent of a tree, or lacks one of its labels there."""
    labels: dict[Limits, set[str]] = {}
    for label, start, end in tree:
        labels.setdefault((start, end), set()).add(label)
    for limits, wanted in known.items():
        if limits not in labels or not wanted <= labels[limits]:
            return limits
    return None


def brackets_needed(labels: frozenset) -> int:
    """The number of brackets that give a span its labels: one at least."""
    return max(len(labels), 1)
