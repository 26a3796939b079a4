"""The top-down linearization (Vinyals et al. 2015, §2.2): ``(S (NP XX )NP … )S </s>``.

A tree is written depth first: a bracket is opened, its children follow, and it is closed, with its
label or without. Words are ``XX``, or their tags where these are kept. A tag comes from the word,
never from the decoder. Unary chains are ordinary brackets.

Legal actions lead to a tree over exactly n words: no word stands outside of a bracket, no bracket
without a word is closed, the outermost is closed once all words are read, and then ``</s>``
follows. :mod:`spacy_structparse.transitions.constituency.unconstrained` reads other outputs.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from ...brackets import Bracket
from .constraints import Labels, Limits, OpenBracketConstraint, brackets_needed
from .interface import KnownSpans, check_brackets
from .open_bracket_states import END, OPEN
from .open_brackets import OpenBrackets


class TopDown(OpenBrackets):
    """The top-down actions: ``</s>``, ``XX`` and the tags kept, ``(X`` and ``)X`` or ``)``.

    `max_run` bounds the brackets opened in a row, which `run` counts. See
    :class:`~spacy_structparse.transitions.constituency.open_brackets.OpenBrackets`.
    """

    name = "top_down"
    symbols_are: ClassVar[Literal["tag", "text"]] = "tag"

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

    def constraint(self, known: KnownSpans, n: int) -> "TopDownConstraint":
        return TopDownConstraint(self, known, n)

    def start_of_opened(self, top: Any, read: Any) -> Any:
        return read

    def next_run(self, run: Any, last: Any, opens: Any, closes: Any) -> Any:
        return (run + 1) * opens

    def legal_kinds(self, state: Any, room: Any, deeper: Any, longer: Any) -> tuple[Any, ...]:
        left, inside = state.t < state.n, state.depth > 0
        all_read = state.t == state.n
        close = inside & (state.last != OPEN) & (all_read | (state.depth > 1))
        return all_read & (state.depth == 0), left & inside, left & room & deeper & longer, close


class TopDownConstraint(OpenBracketConstraint):
    """The actions that keep known spans; see :class:`~.constraints.OpenBracketConstraint`.

    A bracket is opened before its end is known. So open brackets that begin with a known span must
    be able to become its brackets, the outer ones those of the wider spans.
    """

    def _may_read(self) -> bool:
        return not self._ends_here() and not self._unmatched(self.t, self.open, self._unmet)

    def _may_close(self) -> bool:
        start, label = self.open[-1]
        unmet = self._met((start, self.t), label)
        return not self._unmatched(start, self.open[:-1], unmet)

    def _needed(self) -> int:
        later = [labels for (start, _), labels in self._unmet.items() if start > self.t]
        here = self._unmatched(self.t, self.open, self._unmet)
        return sum(map(brackets_needed, later + here))

    def _openings(self) -> tuple[Labels | None, bool]:
        if self._ends_here():
            return None, False
        here = self._unmatched(self.t, self.open, self._unmet)
        run = self.run + 1 + sum(map(brackets_needed, here))
        return next(iter(here), None), run <= self.linearization.max_run

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
