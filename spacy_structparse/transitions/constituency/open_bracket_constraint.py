"""The actions with open brackets that keep known spans: what both linearizations share.

A known span needs a bracket for each of its labels. Open brackets may become some of them; the
others must still be opened. Brackets that nothing needs are refused where they would leave no room
for these within the bounds of the linearization. The root is a known span of any label.
"""

from abc import ABC, abstractmethod
from copy import copy
from typing import Self

import numpy as np

from .constraints import ImpossibleSpanError, KnownSpans, Limits, brackets_needed
from .interface import PADDING
from .open_bracket_state import CLOSE, END, OPEN, WORD
from .open_brackets import OpenBrackets

Labels = frozenset[int]
"""Indices of labels that brackets over a span must have; none: any label will do."""


class OpenBracketConstraint(ABC):
    """A derivation, as a :class:`~spacy_structparse.constraints.Constraint`.

    Args:
        linearization: The actions.
        known: The spans, none of which cross, with labels of the linearization.
        n: The words of the sentence.

    Raises:
        ImpossibleSpanError: The bounds of the linearization leave no room for a span.
    """

    def __init__(self, linearization: OpenBrackets, known: KnownSpans, n: int) -> None:
        self._linearization = linearization
        self._n = n
        first = linearization.first_open
        with_root = {(0, n): frozenset(), **known} if (0, n) not in known else known
        # By span, outer ones before inner ones, the labels that no closed bracket has.
        self._unmet: dict[Limits, Labels] = {
            limits: frozenset(linearization.open_action(label) - first for label in labels)
            for limits, labels in with_root.items()
        }
        self._open: list[tuple[int, int]] = []  # (start, label) of the open brackets
        self._t = 0  # words read
        self._top = PADDING  # the start of the topmost element
        self._last = END
        self._run = 0  # as `OpenBracketState.run`
        self._opened = 0
        self._check_bounds()

    @abstractmethod
    def _may_read(self) -> bool:
        """Whether the next word may be read."""

    @abstractmethod
    def _may_close(self) -> bool:
        """Whether the innermost bracket may be closed, if one is open."""

    @abstractmethod
    def _needed(self) -> int:
        """The number of brackets that must still be opened."""

    @abstractmethod
    def _wanted(self) -> Labels | None:
        """The labels of which a bracket must be opened now or later at this place; None: of no
        label."""

    @abstractmethod
    def _may_open_any(self) -> bool:
        """Whether a bracket that nothing needs may be opened here, as far as `max_run` goes."""

    @abstractmethod
    def _may_open(self) -> bool:
        """Whether a bracket may be opened here."""

    @abstractmethod
    def _start_of_opened(self) -> int:
        """The start of a bracket that is opened now."""

    @abstractmethod
    def _next_run(self, kind: int) -> int:
        """`run` after an action."""

    @abstractmethod
    def _longest_run(self) -> tuple[Limits, int]:
        """The span that needs the largest `max_run`, and how much it needs."""

    @abstractmethod
    def _depth(self, fencepost: int) -> int:
        """The number of brackets needed that are open at once after a fencepost."""

    def allowed(self) -> np.ndarray:
        """(n_actions,) bool."""
        linearization = self._linearization
        kinds = np.ones(4, dtype=bool)
        if self._unmet:
            kinds[END] = False
            kinds[WORD] = self._may_read()
            kinds[CLOSE] = not self._open or self._may_close()
        allowed: np.ndarray = kinds[linearization.kind_of]
        if self._unmet:
            allowed[linearization.first_open : linearization.first_close] = self._openable()
        return allowed

    def _openable(self) -> np.ndarray:
        """(n_labels,) bool; True for labels of which a bracket may be opened."""
        openable = np.zeros(len(self._linearization.labels), dtype=bool)
        if self._may_open():
            wanted = self._wanted()
            if wanted is not None:
                openable[list(wanted) if wanted else slice(None)] = True
            # Of depth room is left as if all brackets needed were around one another.
            room = len(self._open) + 1 + self._needed() <= self._linearization.max_depth
            openable |= room and self._may_spare_one() and self._may_open_any()
        return openable

    def _may_spare_one(self) -> bool:
        """Whether there may be one bracket more than are needed."""
        return self._opened + 1 + self._needed() <= self._linearization.max_brackets(self._n)

    def _ends_here(self) -> bool:
        """Whether a bracket that is needed must end before the next word."""
        return any(end == self._t for _, end in self._unmet)

    def apply(self, action: int) -> None:
        """Take a legal action."""
        kind = int(self._linearization.kind_of[action])
        self._run = self._next_run(kind)
        if kind == WORD:
            self._top = self._t
            self._t += 1
        elif kind == OPEN:
            self._top = self._start_of_opened()
            self._open.append((self._top, int(self._linearization.label_of[action])))
            self._opened += 1
        elif kind == CLOSE:
            self._top, label = self._open.pop()
            self._unmet = self._met((self._top, self._t), label)
        self._last = kind

    def _met(self, limits: Limits, label: int) -> dict[Limits, Labels]:
        """What is left to be met after a bracket was closed."""
        if limits not in self._unmet:
            return self._unmet
        unmet = self._unmet.copy()
        unmet[limits] -= {label}
        if not unmet[limits]:
            del unmet[limits]
        return unmet

    def copy(self) -> Self:
        """A derivation that goes on by itself."""
        other = copy(self)
        other._open = self._open.copy()
        return other

    def _check_bounds(self) -> None:
        """Raise ImpossibleSpanError if no tree within the bounds has the spans."""
        limits, whole = self._linearization, (0, self._n)
        span, run = self._longest_run()
        depth = max(map(self._depth, range(self._n)))
        needed = sum(map(brackets_needed, self._unmet.values()))
        for where, number, bound, name in (
            (span, run, limits.max_run, f"max_run = {limits.max_run}"),
            (whole, depth, limits.max_depth, f"max_depth = {limits.max_depth}"),
            (whole, needed, limits.max_brackets(self._n), f"{self._n} words"),
        ):
            if number > bound:
                raise ImpossibleSpanError(
                    where, f"needs {number} brackets, more than the parser may write with {name}"
                )
