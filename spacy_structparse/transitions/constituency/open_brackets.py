"""Linearizations that open and close brackets.

Their actions are END; one for words, or several where the linearization tells words apart;
``open-X`` for every label; and one that closes the innermost open bracket, or one for every label,
of which only that of the bracket is legal. The symbol of a word (its tag, its text) decides which
action reads it, never the decoder. Subclasses decide where an opened bracket begins, and which
actions are legal.

Termination. A sentence of n words may have at most 2n + ``spare_brackets`` brackets, ``max_depth``
open at once and ``max_run`` on one another: opened in a row from the top down, or in a unary chain
in order. An action that would leave no way to a tree within these bounds is illegal. The bounds are
raised where the trees of the treebank need more.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor

from ...brackets import Bracket, nesting_depth, preorder
from ...errors import ActionError
from .interface import HOST, PADDING, Linearization
from .open_bracket_states import (
    BRACKETS_PER_WORD,
    CLOSE,
    END,
    NO_LABEL,
    OPEN,
    WORD,
    OpenBracketDerivation,
    OpenBracketState,
)

_LEAST = 1e-12
DEFAULT_BOUNDS = {"max_run": 10, "max_depth": 100, "spare_brackets": 10}


class OpenBrackets(Linearization):
    """The actions of a linearization with open brackets, and their bounds.

    Args:
        labels: The labels of brackets.
        word_symbols: The symbols of words that have an action of their own. All others share one.
        closing_labels: The action that closes a bracket names its label.
        max_run, max_depth, spare_brackets: The bounds; see the top of this file. At least 1.

    Attributes:
        kind_of: (n_actions,) END, WORD, OPEN or CLOSE.
        label_of: (n_actions,) the index of the label, or -1.
    """

    symbols_are: ClassVar[Literal["tag", "text"]]

    def __init__(
        self,
        labels: Sequence[str],
        word_symbols: Sequence[str] = (),
        *,
        closing_labels: bool = True,
        max_run: int = 10,
        max_depth: int = 100,
        spare_brackets: int = 10,
    ) -> None:
        self.labels = tuple(labels)
        self.word_symbols = tuple(word_symbols)
        self.reads = self.symbols_are if self.word_symbols else ""
        self.closing_labels = closing_labels
        self.max_run, self.max_depth, self.spare_brackets = max_run, max_depth, spare_brackets
        n_words, n_labels = 1 + len(self.word_symbols), len(self.labels)
        n_closing = n_labels if closing_labels else 1
        self.first_open = 1 + n_words
        self.first_close = self.first_open + n_labels
        kinds = [END] + [WORD] * n_words + [OPEN] * n_labels + [CLOSE] * n_closing
        closed = range(n_labels) if closing_labels else [NO_LABEL]
        self.kind_of = np.array(kinds, dtype=np.int64)
        self.label_of = np.array(
            [NO_LABEL] * (1 + n_words) + [*range(n_labels), *closed], dtype=np.int64
        )
        self.kinds, self.labels_of = self.kind_of.tolist(), self.label_of.tolist()
        self.closes = self.kind_of == CLOSE
        self.names = self._names()
        self._label_index = {label: i for i, label in enumerate(self.labels)}
        self._word_action = {symbol: 2 + i for i, symbol in enumerate(self.word_symbols)}

    @classmethod
    def from_treebank(
        cls,
        treebank: Iterable[Sequence[Bracket]],
        word_symbols: Sequence[str] = (),
        *,
        closing_labels: bool = True,
        **bounds: int,
    ) -> Self:
        """Collect the actions for the trees of a treebank, labels in sorted order.

        Bounds are raised where a tree needs more.
        """
        labels: set[str] = set()
        needed = {**DEFAULT_BOUNDS, **bounds}
        for tree in treebank:
            labels.update(bracket.label for bracket in tree)
            spare = len(tree) - BRACKETS_PER_WORD * tree[0].end
            of_tree = (cls._longest_run(tree), nesting_depth(tree), spare)
            for name, bound in zip(DEFAULT_BOUNDS, of_tree, strict=True):
                needed[name] = max(needed[name], bound)
        return cls(sorted(labels), word_symbols, closing_labels=closing_labels, **needed)

    @staticmethod
    @abstractmethod
    def _longest_run(brackets: Sequence[Bracket]) -> int:
        """The `max_run` that a tree needs."""

    @abstractmethod
    def _names(self) -> list[str]:
        """The names of the actions."""

    def settings(self) -> dict[str, Any]:
        """The arguments of the class."""
        return {
            "labels": list(self.labels),
            "word_symbols": list(self.word_symbols),
            "closing_labels": self.closing_labels,
            **{name: getattr(self, name) for name in DEFAULT_BOUNDS},
        }

    def max_brackets(self, n: int) -> int:
        """The largest number of brackets over n words."""
        return BRACKETS_PER_WORD * n + self.spare_brackets

    def max_steps(self, n: int) -> int:
        """Words, two actions for each possible bracket, and END: 5n + 2 spare_brackets + 1."""
        return n + 2 * self.max_brackets(n) + 1

    def open_action(self, label: str) -> int:
        """The action that opens a bracket. Raises ActionError."""
        return self.first_open + self._index(label)

    def close_action(self, label: str) -> int:
        """The action that closes a bracket. Raises ActionError."""
        return self.first_close + (self._index(label) if self.closing_labels else 0)

    def _index(self, label: str) -> int:
        try:
            return self._label_index[label]
        except KeyError:
            raise ActionError(
                f"The label {label!r} is not among the {len(self.labels)} of the training trees."
            ) from None

    def word_actions(self, n: int, symbols: Sequence[str] | None) -> list[int]:
        """List the action that reads each of n words; symbols without one share the first."""
        if not self.word_symbols:
            return [1] * n
        assert symbols is not None
        return [self._word_action.get(symbol, 1) for symbol in symbols]

    def derivation(self, n: int) -> OpenBracketDerivation:
        """The derivation of n words before the first action."""
        return OpenBracketDerivation(self, n)

    @abstractmethod
    def start_of_opened(self, top: Any, read: Any) -> Any:
        """Return the start of a bracket that is opened: the topmost element's, or the next word.

        The numbers are those of one derivation, or (B,) of many.
        """

    @abstractmethod
    def next_run(self, run: Any, last: Any, opens: Any, closes: Any) -> Any:
        """Return `run` after an action, of one derivation or of many.

        Args:
            run: Its value before.
            last: The kind of the action before.
            opens, closes: The action opens, or closes, a bracket.
        """

    @abstractmethod
    def legal_kinds(self, state: Any, room: Any, deeper: Any, longer: Any) -> tuple[Any, ...]:
        """Bool for END, WORD, OPEN and CLOSE, without meaning for a finished sentence.

        Args:
            state: One derivation, or (B,) many.
            room: The sentence may have one more bracket.
            deeper: One more may be open at once.
            longer: `run` may grow.
        """

    def brackets(self, actions: Sequence[int], n: int) -> list[Bracket]:
        """Build the tree of actions, in pre-order; they end with END."""
        closed = [
            Bracket(self.labels[label], start, derivation.t)
            for action, derivation in self.replay(actions, n)
            if self.closes[action]
            for start, label in derivation.open[-1:]
        ]
        # Of brackets over one span the inner one closed first; the sort is stable.
        return sorted(reversed(closed), key=preorder)

    def _bracket_log_probs(
        self, actions: Sequence[int], n: int, log_probs: list[float], closing: np.ndarray
    ) -> Iterator[tuple[Bracket, float]]:
        """The decisions of a bracket: to open it, not to close it before its last word, and to
        close it then."""
        stays = np.log(np.maximum(1 - closing, _LEAST)).tolist()
        log_p: list[float] = []  # of each open bracket
        for step, (action, derivation) in enumerate(self.replay(actions, n)):
            if self.closes[action]:
                start, label = derivation.open[-1]
                closed = Bracket(self.labels[label], start, derivation.t)
                yield closed, log_p.pop() + log_probs[step]
                continue
            if log_p:
                log_p[-1] += stays[step]
            if self.kinds[action] == OPEN:
                log_p.append(log_probs[step])

    def initial(
        self,
        lengths: Sequence[int],
        symbols: Sequence[Sequence[str]] | None = None,
        like: Tensor = HOST,
    ) -> OpenBracketState:
        """The state before the first action."""
        longest = max(lengths, default=0)
        n = like.new_tensor(lengths, dtype=torch.long)
        zeros = torch.zeros_like(n)
        stack = n.new_full(
            (len(lengths), min(self.max_depth, self.max_brackets(longest)) + 2), PADDING
        )
        reads: Tensor | None = None
        if self.word_symbols:
            given: Sequence[Sequence[str] | None] = symbols or [None] * len(lengths)
            padded = [
                self.word_actions(length, of_sentence) + [1] * (longest + 1 - length)
                for length, of_sentence in zip(lengths, given, strict=True)
            ]
            reads = n.new_tensor(padded)
        return OpenBracketState(
            linearization=self,
            kind_of=n.new_tensor(self.kinds),
            label_of=n.new_tensor(self.labels_of),
            reads=reads,
            n=n,
            t=zeros,
            top=zeros + PADDING,
            depth=zeros,
            opened=zeros,
            run=zeros,
            last=zeros + END,
            starts=stack,
            labels=stack.clone(),
            finished=torch.zeros_like(n, dtype=torch.bool),
        )
