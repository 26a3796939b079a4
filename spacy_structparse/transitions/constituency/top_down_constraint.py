"""The top-down actions that keep known spans.

A bracket is opened before its end is known. So open brackets that begin with a known span must be
able to become its brackets, the outer ones those of the wider spans.
"""

from .constraints import Limits, brackets_needed
from .open_bracket_constraint import Labels, OpenBracketConstraint
from .open_bracket_state import OPEN


class TopDownConstraint(OpenBracketConstraint):
    """See :class:`~.open_bracket_constraint.OpenBracketConstraint`."""

    def _may_read(self) -> bool:
        return not self._ends_here() and not self._unmatched(self._t, self._open, self._unmet)

    def _may_close(self) -> bool:
        start, label = self._open[-1]
        unmet = self._met((start, self._t), label)
        return not self._unmatched(start, self._open[:-1], unmet)

    def _needed(self) -> int:
        later = (labels for (start, _), labels in self._unmet.items() if start > self._t)
        return sum(map(brackets_needed, later)) + self._needed_here()

    def _needed_here(self) -> int:
        return sum(map(brackets_needed, self._unmatched(self._t, self._open, self._unmet)))

    def _wanted(self) -> Labels | None:
        return next(iter(self._unmatched(self._t, self._open, self._unmet)), None)

    def _may_open(self) -> bool:
        return not self._ends_here()

    def _may_open_any(self) -> bool:
        return self._run + 1 + self._needed_here() <= self._linearization.max_run

    def _start_of_opened(self) -> int:
        return self._t

    def _next_run(self, kind: int) -> int:
        return self._run + 1 if kind == OPEN else 0

    @staticmethod
    def _unmatched(
        start: int, brackets: list[tuple[int, int]], unmet: dict[Limits, Labels]
    ) -> list[Labels]:
        """The labels that no open bracket can give to the spans from a start, widest first.

        Each open bracket, the outermost first, becomes one of the widest span that lacks any. So a
        span is matched before those inside of it, and the first bracket of a sentence becomes the
        root, which is the widest, or nothing.
        """
        left = [labels for (begin, _), labels in unmet.items() if begin == start]
        for begin, label in brackets:
            if begin == start and left and (not left[0] or label in left[0]):
                rest = left[0] - {label}
                left[:1] = [rest] if rest else []
        return left

    def _longest_run(self) -> tuple[Limits, int]:
        runs: dict[int, int] = {}
        for (start, _), labels in self._unmet.items():
            runs[start] = runs.get(start, 0) + brackets_needed(labels)
        longest = max(runs, key=runs.__getitem__)
        return next(limits for limits in self._unmet if limits[0] == longest), runs[longest]

    def _depth(self, fencepost: int) -> int:
        return sum(
            brackets_needed(labels)
            for (start, end), labels in self._unmet.items()
            if start <= fencepost < end
        )
