"""The interface of the linearizations of constituency trees, with its checks and errors.

A tree over n words is given as its brackets in pre-order: the brackets of a unary chain from the
outside in, and the first of all over all n words. Words and tags are given apart.

Three linearizations turn brackets into actions and back: ``BottomUp``, ``TopDown`` and ``InOrder``.
Decoders and trainers use the classes below alone. A sequence of words in place of a tree
(:class:`~spacy_structparse.transitions.word_sequence.WordSequence`) is a kind of `Actions`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor

from ...brackets import Bracket, first_crossing, preorder
from ...constraints import Constraint
from ...errors import ActionError

Chain = tuple[str, ...]
"""The labels of all brackets over one span, from the outside in."""

IDLE = 0
"""The action of a finished sentence: the only legal one there, and without effect."""
PADDING = -1
"""The position of a boundary that does not exist."""
HOST = torch.empty(0)
"""A tensor on the host, for states there."""
KnownSpans = Mapping[tuple[int, int], frozenset[str]]
"""By the limits of each known span the labels that it must have; none: some label. Outer spans
stand before inner ones."""


@dataclass
class State(ABC):
    """The states of B derivations after the same number of actions, as tensors.

    A step is ``legal_mask``, a choice, ``apply``. It is a fixed number of tensor operations for any
    B, without a copy from device to host.

    Attributes:
        finished: (B,) bool; True where the tree is complete.
    """

    rows: ClassVar[tuple[str, ...]]
    """The names of the fields with a row, or a number, for each derivation."""

    finished: Tensor

    def __len__(self) -> int:
        return len(self.finished)

    @property
    def word_actions(self) -> slice | None:
        """The actions that read a word, if only that of the next word is legal.

        None: one action reads all words, or all of these actions are legal.
        """
        return None

    @property
    def keeps_boundaries(self) -> bool:
        """True if the last action changed no boundary of any row."""
        return False

    @abstractmethod
    def legal_mask(self) -> Tensor:
        """(B, n_actions) bool, with at least one legal action in every row.

        A finished row has IDLE alone, so that under a masked softmax its score does not change.
        """

    @abstractmethod
    def apply(self, actions: Tensor) -> None:
        """Take one legal action in every row, in place. actions: (B,) long."""

    @abstractmethod
    def boundaries(self) -> Tensor:
        """(B, 5) the positions (0, r, s, t, n), which deterministic attention reads.

        s and t are the fenceposts around the topmost element of the stack, r is the start of the
        element below it. Positions run from 0 to n, n being the end symbol of the encoder; PADDING
        where the stack has no such element.
        """

    def select(self, rows: Tensor) -> Self:
        """Select rows, such as those of a beam, each as often as it is named. rows: (B',) long."""
        fields = {name: getattr(self, name) for name in self.rows}
        given = {name: x.index_select(0, rows) for name, x in fields.items() if x is not None}
        return replace(self, **given)


class Actions(ABC):
    """The actions of a decoder, which ends with IDLE or with the action that finishes.

    Attributes:
        names: The name of each action.
    """

    name: ClassVar[str]
    names: list[str]

    def __len__(self) -> int:
        return len(self.names)

    def strip_padding(self, actions: np.ndarray) -> np.ndarray:
        """Remove the actions of a finished sentence after the one that finished it."""
        ends = np.flatnonzero(actions == IDLE)
        return actions[: ends[0] + 1] if len(ends) else actions

    @abstractmethod
    def initial(
        self,
        lengths: Sequence[int],
        symbols: Sequence[Sequence[str]] | None = None,
        like: Tensor = HOST,
    ) -> State:
        """Build the state before the first action of B sentences.

        Args:
            lengths: (B,) words of each sentence, at least one.
            symbols: The symbols of every word of every sentence, where a linearization `reads` any.
            like: A tensor on the device that the state is for.
        """

    @abstractmethod
    def max_steps(self, n: int) -> int:
        """Bound the number of actions that legal derivations of n words take."""


class Linearization(Actions):
    """Trees as sequences of actions, whose vocabulary comes from the brackets of a treebank.

    Attributes:
        reads: The kind of `symbols`: the words' tags, their texts, or none ("").
        labels: The labels of brackets.
        closes: (n_actions,) bool; True for the actions that close a bracket.
    """

    labels: tuple[str, ...]
    closes: np.ndarray
    reads: Literal["", "tag", "text"] = ""

    @abstractmethod
    def oracle(
        self, brackets: Sequence[Bracket], n: int, symbols: Sequence[str] | None = None
    ) -> list[int]:
        """Find the actions that build a tree.

        Raises:
            ActionError: The brackets are no tree over n words.
            ActionError: A label is in no tree of the treebank.
        """

    @abstractmethod
    def brackets(self, actions: Sequence[int], n: int) -> list[Bracket]:
        """Build the tree of actions, in pre-order. Raises ActionError at an illegal one."""

    @abstractmethod
    def derivation(self, n: int) -> Any:
        """Return the derivation of n words before the first action: what a `State` is for many, as
        plain numbers.

        It says of an action whether it ``is_possible``, whatever the bounds of the linearization.
        """

    @abstractmethod
    def constraint(self, known: KnownSpans, n: int) -> Constraint:
        """Return the constraint of a search that keeps known spans.

        Args:
            known: The spans, none of which cross, with labels of the linearization.
            n: The words of the sentence.
        """

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return the arguments of the class, as JSON."""

    def replay(self, actions: Sequence[int], n: int) -> Iterator[tuple[int, Any]]:
        """Yield each action with the derivation before it; all yields share one derivation.

        Bounds do not apply. Raises ActionError at an action that cannot lead to a tree, and where
        actions stop before the tree is complete or go on after it.
        """
        derivation = self.derivation(n)
        for step, action in enumerate(actions):
            is_known = 0 <= action < len(self.names)
            if derivation.finished or not is_known or not derivation.is_possible(action):
                name = self.names[action] if is_known else action
                raise ActionError(
                    f"Action {step}, {name}, is not possible after {derivation.t} of {n} words."
                )
            yield action, derivation
            derivation.apply(action)
        if not derivation.finished:
            raise ActionError(f"The {len(actions)} actions stop before the tree is complete.")

    def boundaries(self, actions: Sequence[int], n: int) -> np.ndarray:
        """(T, 5) the `State.boundaries` before each of T legal actions."""
        before = [derivation.boundaries() for _, derivation in self.replay(actions, n)]
        return np.array(before, dtype=np.int64)

    def bracket_confidence(
        self, actions: Sequence[int], n: int, log_probs: np.ndarray, closing: np.ndarray
    ) -> dict[Bracket, float]:
        """Compute the probability of each bracket of n words; of equal brackets the highest counts.

        It is the product of the probabilities of the decisions that the bracket depends on. What is
        built inside of it and around it is left out.

        Args:
            actions: T legal actions.
            n: Words.
            log_probs: (T or more,) log probability of each action.
            closing: (T or more,) probability of all actions that close a bracket, in each state.
        """
        confidence: dict[Bracket, float] = {}
        for bracket, log_p in self._bracket_log_probs(actions, n, log_probs.tolist(), closing):
            confidence[bracket] = max(confidence.get(bracket, 0.0), float(np.exp(log_p)))
        return confidence

    @abstractmethod
    def _bracket_log_probs(
        self, actions: Sequence[int], n: int, log_probs: list[float], closing: np.ndarray
    ) -> Iterator[tuple[Bracket, float]]:
        """Yield each bracket with the log probability of the decisions that it depends on."""


def check_brackets(brackets: Sequence[Bracket], n: int) -> None:
    """Check that brackets are a tree over n words, in pre-order.

    Raises:
        ActionError: No bracket spans all words; or a bracket lies outside of the sentence, has no
            words or no label, crosses another one or is out of order. The error names it.
    """
    if n < 1:
        raise ActionError("A sentence without words has no tree.")
    if not brackets or brackets[0][1:] != (0, n):
        first = f"the first is {brackets[0]}" if brackets else "there is none"
        raise ActionError(f"The first bracket must span all words, 0 to {n}: {first}.")
    for bracket in brackets:
        if not bracket.label or not 0 <= bracket.start < bracket.end <= n:
            raise ActionError(f"The bracket {bracket} has no label, or is no span of {n} words.")
    if sorted(brackets, key=preorder) != list(brackets):
        raise ActionError("Brackets are not in pre-order.")
    crossing = first_crossing(brackets)
    if crossing is not None:
        raise ActionError(f"Two brackets cross: {crossing[0]} and {crossing[1]}.")


def without_repeated_unaries(brackets: Sequence[Bracket]) -> list[Bracket]:
    """Remove brackets that repeat the one directly around them (X over X).

    Parsers are not asked to find these. `NP` over `QP` over `NP` stays.
    """
    return [bracket for bracket, _ in groupby(brackets)]


def unary_chains(brackets: Iterable[Bracket]) -> list[tuple[Chain, int, int]]:
    """(labels from the outside in, start, end) of every span that has brackets, in pre-order."""
    return [
        (tuple(bracket.label for bracket in same), start, end)
        for (start, end), same in groupby(brackets, key=lambda bracket: bracket[1:])
    ]
