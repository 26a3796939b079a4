"""Known parts of a constituency tree: spans that must be constituents, and their labels.

A search that keeps them asks a :class:`~spacy_structparse.constraints.Constraint` of the
linearization, see :meth:`~.interface.Linearization.constraint`.

With open brackets a known span needs a bracket for each of its labels. Open brackets may become
some of them; the others must still be opened. Brackets that nothing needs are refused where they
would leave no room for these within the bounds of the linearization. The root is a known span of
any label. Where no tree of the linearization has a span, no action is left that keeps it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from ...brackets import Bracket, preorder
from .interface import KnownSpans
from .open_bracket_states import CLOSE, END, OPEN, WORD, OpenBracketDerivation
from .open_brackets import OpenBrackets

Limits = tuple[int, int]
"""The first word of a span and the one after its last."""


def known_spans(brackets: Iterable[Bracket]) -> KnownSpans:
    """Collect the labels of each span. A bracket with the label "" may have any."""
    labels: dict[Limits, set[str]] = {}
    for label, *limits in sorted(brackets, key=preorder):
        start, end = limits
        labels.setdefault((start, end), set()).update({label} - {""})
    return {limits: frozenset(of_span) for limits, of_span in labels.items()}


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


Labels = frozenset[int]
"""Indices of labels that brackets over a span must have; none: any label will do."""


class OpenBracketConstraint(OpenBracketDerivation, ABC):
    """A derivation, as a :class:`~spacy_structparse.constraints.Constraint`.

    Args:
        linearization: The actions.
        known: The spans, none of which cross, with labels of the linearization.
        n: The words of the sentence.
    """

    def __init__(self, linearization: OpenBrackets, known: KnownSpans, n: int) -> None:
        super().__init__(linearization, n)
        self.opened = 0  # brackets opened so far
        self.run = 0  # as `OpenBracketState.run`
        first = linearization.first_open
        with_root = {(0, n): frozenset(), **known} if (0, n) not in known else known
        # By span, outer ones before inner ones, the labels that no closed bracket has.
        self._unmet: dict[Limits, Labels] = {
            limits: frozenset(linearization.open_action(label) - first for label in labels)
            for limits, labels in with_root.items()
        }

    @abstractmethod
    def _may_read(self) -> bool:
        """Return whether the next word may be read."""

    @abstractmethod
    def _may_close(self) -> bool:
        """Return whether the innermost bracket may be closed, if one is open."""

    @abstractmethod
    def _needed(self) -> int:
        """The number of brackets that must still be opened."""

    @abstractmethod
    def _openings(self) -> tuple[Labels | None, bool]:
        """Return which brackets may be opened here.

        Returns:
            The labels of which a bracket must be opened now or later at this place, or None if of
            no label; and whether `max_run` lets a bracket that nothing needs be opened.
        """

    def allowed(self) -> np.ndarray:
        """(n_actions,) bool."""
        linearization = self.linearization
        kinds = np.ones(4, dtype=bool)
        if self._unmet:
            kinds[END] = False
            kinds[WORD] = self._may_read()
            kinds[CLOSE] = not self.open or self._may_close()
        allowed: np.ndarray = kinds[linearization.kind_of]
        if self._unmet:
            allowed[linearization.first_open : linearization.first_close] = self._openable()
        return allowed

    def _openable(self) -> np.ndarray:
        """(n_labels,) bool; True for labels of which a bracket may be opened."""
        wanted, may_open_any = self._openings()
        # Of depth room is left as if all brackets needed were around one another.
        room = len(self.open) + 1 + self._needed() <= self.linearization.max_depth
        spare = may_open_any and room and self._may_spare_one()
        openable = np.full(len(self.linearization.labels), spare)
        if wanted is not None:
            openable[list(wanted) if wanted else slice(None)] = True
        return openable

    def _may_spare_one(self) -> bool:
        """Return whether there may be one bracket more than are needed."""
        return self.opened + 1 + self._needed() <= self.linearization.max_brackets(self.n)

    def _ends_here(self) -> bool:
        """Return whether a bracket that is needed must end before the next word."""
        return any(end == self.t for _, end in self._unmet)

    def apply(self, action: int) -> None:
        """Take a legal action."""
        kind = self.linearization.kinds[action]
        self.run = self.linearization.next_run(self.run, self.last, kind == OPEN, kind == CLOSE)
        if kind == OPEN:
            self.opened += 1
        elif kind == CLOSE:
            start, label = self.open[-1]
            self._unmet = self._met((start, self.t), label)
        super().apply(action)

    def _met(self, limits: Limits, label: int) -> dict[Limits, Labels]:
        """Return the spans that are left to be met after a bracket was closed."""
        if limits not in self._unmet:
            return self._unmet
        unmet = self._unmet.copy()
        unmet[limits] -= {label}
        if not unmet[limits]:
            del unmet[limits]
        return unmet
