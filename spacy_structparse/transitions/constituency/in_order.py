"""The in-order linearization (Liu & Zhang 2017; Fernández-González & Gómez-Rodríguez 2020).

A bracket is opened after its first child. ``SHIFT`` reads a word, ``PJ-X`` opens a bracket whose
first child is the complete element on top of the stack, ``REDUCE`` closes the innermost open
bracket, ``FINISH`` ends. In the enriched variant, ``REDUCE-X`` names the label that it closes, and
words of chosen texts (punctuation) have a ``SHIFT`` of their own, forced by the word.

Legal actions lead to a tree over exactly n words. ``PJ-X`` needs a complete element, and a word
after the first an open bracket. A bracket may be closed right after it was opened (a unary one) if
`max_run` allows; otherwise one is opened only if words are left for it. The outermost bracket is
not closed with words left, unless one more bracket may go around it.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from ...brackets import Bracket
from .constraints import Labels, OpenBracketConstraint, brackets_needed
from .interface import KnownSpans, check_brackets
from .open_bracket_states import CLOSE, END, OPEN, WORD
from .open_brackets import OpenBrackets


class InOrder(OpenBrackets):
    """The in-order actions: ``FINISH``, ``SHIFT`` and those of chosen words, ``PJ-X``, ``REDUCE``.

    `max_run` bounds the length of unary chains. `run` is the number of brackets over exactly the
    words of the element on top of the stack or, right after ``PJ-X``, of its first child. See
    :class:`~spacy_structparse.transitions.constituency.open_brackets.OpenBrackets`.
    """

    name = "in_order"
    symbols_are: ClassVar[Literal["tag", "text"]] = "text"

    def _names(self) -> list[str]:
        shifts = ["SHIFT", *(f"SHIFT-{symbol}" for symbol in self.word_symbols)]
        opening = [f"PJ-{label}" for label in self.labels]
        closing = [f"REDUCE-{label}" for label in self.labels]
        return ["FINISH", *shifts, *opening, *(closing if self.closing_labels else ["REDUCE"])]

    @staticmethod
    def _longest_run(brackets: Sequence[Bracket]) -> int:
        return max(Counter(bracket[1:] for bracket in brackets).values(), default=0)

    def oracle(
        self, brackets: Sequence[Bracket], n: int, symbols: Sequence[str] | None = None
    ) -> list[int]:
        """Find the actions of a tree: n + 2 * brackets + 1, ``FINISH`` last."""
        check_brackets(brackets, n)
        to_open: list[list[Bracket]] = [[] for _ in range(n)]  # by start, the innermost last
        for bracket in brackets:
            to_open[bracket.start].append(bracket)
        actions: list[int] = []
        around: list[Bracket] = []
        for word, read in enumerate(self.word_actions(n, symbols)):
            actions.append(read)
            start = word  # of the complete element on top
            while True:
                if to_open[start]:
                    around.append(to_open[start].pop())
                    actions.append(self.open_action(around[-1].label))
                if not around or around[-1].end > word + 1:
                    break
                label, start, _ = around.pop()
                actions.append(self.close_action(label))
        return [*actions, END]

    def constraint(self, known: KnownSpans, n: int) -> "InOrderConstraint":
        return InOrderConstraint(self, known, n)

    def start_of_opened(self, top: Any, read: Any) -> Any:
        return top

    def next_run(self, run: Any, last: Any, opens: Any, closes: Any) -> Any:
        return closes * (run * (last == OPEN) + 1) + opens * run

    def legal_kinds(self, state: Any, room: Any, deeper: Any, longer: Any) -> tuple[Any, ...]:
        left, inside = state.t < state.n, state.depth > 0
        all_read = state.t == state.n
        complete = (state.last == WORD) | (state.last == CLOSE)
        word = left & (inside | (state.t == 0))
        opens = complete & room & deeper & (left | longer)
        close = inside & ((state.last != OPEN) | longer)
        close &= all_read | (state.depth > 1) | room
        return all_read & (state.depth == 0) & (state.last == CLOSE), word, opens, close


class InOrderConstraint(OpenBracketConstraint):
    """The actions that keep known spans; see :class:`~.constraints.OpenBracketConstraint`.

    A bracket is opened after its first child, so that at most one is open at a start: brackets
    around it from the same start are opened after it is closed.
    """

    def _may_read(self) -> bool:
        return not self._ends_here() and not self._begins_at_top()

    def _may_close(self) -> bool:
        if self._begins_at_top():
            return False
        # A bracket that would have met a span is opened again after it was closed too early.
        return self._ends_here() or not self._will_meet(*self.open[-1]) or self._may_spare_one()

    def _begins_at_top(self) -> bool:
        """Return whether a bracket that is needed begins with the complete element on top."""
        return self.last != OPEN and self._nearest(self.top) is not None

    def _nearest(self, start: int) -> tuple[int, Labels] | None:
        """The end and the labels of the smallest span from a start that lacks a bracket."""
        ends = [(end, labels) for (begin, end), labels in self._unmet.items() if begin == start]
        return ends[-1] if ends else None

    def _will_meet(self, start: int, label: int) -> bool:
        """Return whether an open bracket may become one that is needed."""
        nearest = self._nearest(start)
        return nearest is not None and (not nearest[1] or label in nearest[1])

    def _needed(self) -> int:
        unmet = sum(map(brackets_needed, self._unmet.values()))
        return unmet - sum(self._will_meet(*bracket) for bracket in self.open)

    def _openings(self) -> tuple[Labels | None, bool]:
        # A bracket that must be closed before the next word is a unary one.
        if self.run >= self.linearization.max_run and self._ends_here():
            return None, False
        nearest = self._nearest(self.top)
        if nearest is None:
            return None, True
        end, labels = nearest
        # A bracket may grow to the end of the span, where it is the innermost of the chain.
        below = self.run if end == self.t else 0
        return labels, below + 1 + brackets_needed(labels) <= self.linearization.max_run
