"""The top-down linearization (Vinyals et al. 2015, §2.2): ``(S (NP XX )NP … )S </s>``.

A tree is written depth first: a bracket is opened, its children follow, and it is closed, with its
label or without. Words are ``XX``, or their tags where these are kept. A tag comes from the word,
never from the decoder. Unary chains are ordinary brackets.

Legal actions lead to a tree over exactly n words: no word stands outside of a bracket, no bracket
without a word is closed, the outermost is closed once all words are read, and then ``</s>``
follows. :mod:`spacy_structparse.transitions.constituency.repair` reads unconstrained outputs.
"""

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Literal

from torch import Tensor

from ...brackets import Bracket
from .interface import check_brackets
from .open_bracket_state import CLOSE, END, OPEN, WORD, OpenBracketState
from .open_brackets import OpenBrackets


class TopDownState(OpenBracketState):
    """See :class:`OpenBracketState`; `run` counts the brackets opened in a row."""

    def _legal_kinds(self, room: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        limits = self.linearization
        left, inside = self.t < self.n, self.depth > 0
        opens = left & room & (self.depth < limits.max_depth) & (self.run < limits.max_run)
        close = inside & (self.last != OPEN) & (~left | (self.depth > 1))
        return ~left & ~inside, left & inside, opens, close

    def _start_of_opened(self) -> Tensor:
        return self.t

    def _next_run(self, opens: Tensor, closes: Tensor, words: Tensor) -> Tensor:
        return (self.run + 1) * opens


class TopDown(OpenBrackets):
    """The top-down actions: ``</s>``, ``XX`` and the tags kept, ``(X`` and ``)X`` or ``)``.

    `max_run` bounds the brackets opened in a row. See
    :class:`~spacy_structparse.transitions.constituency.open_brackets.OpenBrackets`.
    """

    name = "top_down"
    symbols_are: ClassVar[Literal["tag", "text"]] = "tag"
    state = TopDownState

    def _names(self) -> list[str]:
        closing = [f"){label}" for label in self.labels] if self.closing_labels else [")"]
        return ["</s>", "XX", *self.word_symbols, *(f"({label}" for label in self.labels), *closing]

    @staticmethod
    def _longest_run(brackets: Sequence[Bracket]) -> int:
        return max(Counter(bracket.start for bracket in brackets).values(), default=0)

    def oracle(
        self, brackets: Sequence[Bracket], n: int, symbols: Sequence[str] | None = None
    ) -> list[int]:
        """Find the actions of a tree: n + 2 * brackets + 1, ``</s>`` last. Unknown tags are XX."""
        check_brackets(brackets, n)
        actions: list[int] = []
        around: list[Bracket] = []
        following = iter([*brackets, Bracket("", n, n)])
        bracket = next(following)
        for word, read in enumerate(self.word_actions(n, symbols)):
            while bracket.start == word:
                around.append(bracket)
                actions.append(self.open_action(bracket.label))
                bracket = next(following)
            actions.append(read)
            while around and around[-1].end == word + 1:
                actions.append(self.close_action(around.pop().label))
        return [*actions, END]

    def _problem(self, kind: int, last: int, depth: int, read: int, n: int) -> str:
        if kind == END:
            return "" if read == n and not depth else "the tree is not complete"
        if kind in (WORD, OPEN) and read == n:
            return f"all {n} words are read"
        if kind == WORD and not depth:
            return "no bracket is open"
        if kind == CLOSE:
            if not depth:
                return "no bracket is open"
            if last == OPEN:
                return "the bracket is empty"
            if depth == 1 and read < n:
                return f"{n - read} words would stay outside"
        return ""

    def _start_of_opened(self, top: int, read: int) -> int:
        return read
