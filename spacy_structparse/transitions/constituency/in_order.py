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
from typing import ClassVar, Literal

import torch
from torch import Tensor

from ...brackets import Bracket
from .interface import check_brackets
from .open_bracket_state import CLOSE, END, OPEN, WORD, OpenBracketState
from .open_brackets import OpenBrackets


class InOrderState(OpenBracketState):
    """See :class:`OpenBracketState`.

    `run` is the number of brackets over exactly the words of the element on top of the stack or,
    right after ``PJ-X``, of its first child.
    """

    def _legal_kinds(self, room: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        limits = self.linearization
        left, inside = self.t < self.n, self.depth > 0
        complete = (self.last == WORD) | (self.last == CLOSE)
        may_be_unary = self.run < limits.max_run
        word = left & (inside | (self.t == 0))
        opens = complete & room & (self.depth < limits.max_depth) & (left | may_be_unary)
        close = inside & ((self.last != OPEN) | may_be_unary)
        close &= ~left | (self.depth > 1) | room
        return ~left & ~inside & (self.last == CLOSE), word, opens, close

    def _start_of_opened(self) -> Tensor:
        return self.top

    def _next_run(self, opens: Tensor, closes: Tensor, words: Tensor) -> Tensor:
        closed = torch.where(self.last == OPEN, self.run + 1, 1)
        return torch.where(closes, closed, self.run * ~words)


class InOrder(OpenBrackets):
    """The in-order actions: ``FINISH``, ``SHIFT`` and those of chosen words, ``PJ-X``, ``REDUCE``.

    `max_run` bounds the length of unary chains. See
    :class:`~spacy_structparse.transitions.constituency.open_brackets.OpenBrackets`.
    """

    name = "in_order"
    symbols_are: ClassVar[Literal["tag", "text"]] = "text"
    state = InOrderState

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

    def _problem(self, kind: int, last: int, depth: int, read: int, n: int) -> str:
        if kind == END:
            complete = read == n and not depth and last == CLOSE
            return "" if complete else "the tree is not complete"
        if kind == WORD:
            if read == n:
                return f"all {n} words are read"
            return "no bracket is open" if read and not depth else ""
        if kind == OPEN:
            return "" if last in (WORD, CLOSE) else "no complete element is on top of the stack"
        return "" if depth else "no bracket is open"

    def _start_of_opened(self, top: int, read: int) -> int:
        return top
