"""The in-order actions that keep known spans.

A bracket is opened after its first child, so that at most one is open at a start: brackets around
it from the same start are opened after it is closed.
"""

from .constraints import Limits, brackets_needed
from .open_bracket_constraint import Labels, OpenBracketConstraint
from .open_bracket_state import CLOSE, OPEN, WORD


class InOrderConstraint(OpenBracketConstraint):
    """See :class:`~.open_bracket_constraint.OpenBracketConstraint`."""

    def _may_read(self) -> bool:
        return not self._ends_here() and not self._begins_at_top()

    def _may_close(self) -> bool:
        if self._begins_at_top():
            return False
        # A bracket that would have met a span is opened again after it was closed too early.
        return self._ends_here() or not self._will_meet(*self._open[-1]) or self._may_spare_one()

    def _begins_at_top(self) -> bool:
        """Whether a bracket that is needed begins with the complete element on top."""
        return self._last != OPEN and self._nearest(self._top) is not None

    def _nearest(self, start: int) -> tuple[int, Labels] | None:
        """The end and the labels of the smallest span from a start that lacks a bracket."""
        ends = [(end, labels) for (begin, end), labels in self._unmet.items() if begin == start]
        return ends[-1] if ends else None

    def _will_meet(self, start: int, label: int) -> bool:
        """Whether an open bracket may become one that is needed."""
        nearest = self._nearest(start)
        return nearest is not None and (not nearest[1] or label in nearest[1])

    def _needed(self) -> int:
        unmet = sum(map(brackets_needed, self._unmet.values()))
        return unmet - sum(self._will_meet(*bracket) for bracket in self._open)

    def _wanted(self) -> Labels | None:
        nearest = self._nearest(self._top)
        return None if nearest is None else nearest[1]

    def _may_open(self) -> bool:
        # A bracket that must be closed before the next word is a unary one.
        return self._run < self._linearization.max_run or not self._ends_here()

    def _may_open_any(self) -> bool:
        nearest = self._nearest(self._top)
        if nearest is None:
            return True
        end, labels = nearest
        # A bracket may grow to the end of the span, where it is the innermost of the chain.
        below = self._run if end == self._t else 0
        return below + 1 + brackets_needed(labels) <= self._linearization.max_run

    def _start_of_opened(self) -> int:
        return self._top

    def _next_run(self, kind: int) -> int:
        if kind == CLOSE:
            return self._run + 1 if self._last == OPEN else 1
        return 0 if kind == WORD else self._run

    def _longest_run(self) -> tuple[Limits, int]:
        runs = {limits: brackets_needed(labels) for limits, labels in self._unmet.items()}
        longest = max(runs, key=runs.__getitem__)
        return longest, runs[longest]

    def _depth(self, fencepost: int) -> int:
        return len({start for start, end in self._unmet if start <= fencepost < end})
