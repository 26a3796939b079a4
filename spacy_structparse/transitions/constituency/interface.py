"""The interface of the linearizations of phrase-structure trees, its checks and errors.

A tree over n words is given as its brackets in pre-order: the brackets of a unary chain from the
outside in, and the first of all over all n words. Words and tags stay outside.

Three linearizations turn brackets into actions and back:
:class:`BottomUp`,
:class:`TopDown` and
:class:`InOrder`. A decoder or trainer needs no more of them
than the protocols below; what writes words in place of trees
(:class:`~spacy_structparse.transitions.word_sequence.WordSequence`) has the first two.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Literal, Protocol, Self

import numpy as np
from torch import Tensor

from ...brackets import Bracket, preorder

Chain = tuple[str, ...]
"""The labels of all brackets over one span, from the outside in."""

IDLE = 0
"""The action of a finished sentence: the only legal one there, and without effect."""
PADDING = -1
"""The position of a boundary that does not exist."""


class BracketError(ValueError):
    """Brackets that are not a tree over the sentence."""


class UnknownLabelError(BracketError):
    """A label, or a unary chain of labels, that the vocabulary of actions does not have."""


class ActionError(ValueError):
    """Actions that build no tree over the sentence."""


class State(Protocol):
    """Where B derivations stand, all after the same number of actions, as tensors over them.

    A step is ``legal_mask``, a choice, ``apply``: a fixed number of tensor operations whatever B,
    and no copy from device to host.
    """

    def __len__(self) -> int:
        """B."""
        ...

    @property
    def finished(self) -> Tensor:
        """(B,) bool: whose tree is complete."""
        ...

    @property
    def word_actions(self) -> slice | None:
        """The actions that read a word where there are several, of which only that of the next
        word is legal; None where there is one, or all are legal."""
        ...

    def legal_mask(self) -> Tensor:
        """(B, n_actions) bool: at least one action is legal in every row. A finished one has IDLE
        alone, so that under a masked softmax its score stays what it is."""
        ...

    def apply(self, actions: Tensor) -> None:
        """Take one legal action in every row, in place. actions: (B,) long."""
        ...

    def boundaries(self) -> Tensor:
        """(B, 5) long: (0, r, s, t, n), the positions that deterministic attention reads before
        the next action: s and t the fenceposts around the topmost element of the stack, r the
        start of the one below it. Positions run from 0 to n, n being the end symbol of the
        encoder; PADDING where the stack has no such element."""
        ...

    def select(self, rows: Tensor) -> Self:
        """The state of other rows, each as often as it is named: those of a beam.
        rows: (B',) long."""
        ...


class Actions(Protocol):
    """What a decoder writes: actions one by one, until IDLE or the action that finishes.

    names: what each action is called; their number is that of the actions.
    """

    name: str
    names: list[str]

    def __len__(self) -> int:
        """The number of actions."""
        ...

    def strip_padding(self, actions: np.ndarray) -> np.ndarray:
        """The actions of a finished sentence without those after the one that finished it."""
        ...

    def initial(
        self,
        lengths: Sequence[int],
        device: Any = "cpu",
        symbols: Sequence[Sequence[str]] | None = None,
    ) -> State:
        """The state before the first action of B sentences of at least one word.

        lengths: (B,) words. symbols: of a linearization, what `reads` asks for, for every word of
        every sentence.
        """
        ...

    def max_steps(self, n: int) -> int:
        """The most actions that legal derivations of n words take."""
        ...


class Linearization(Actions, Protocol):
    """Trees as sequences of actions. Its vocabulary of actions comes from a treebank's brackets.

    reads: what `symbols` are: the words' tags, their texts, or nothing ("").
    """

    @property
    def reads(self) -> Literal["", "tag", "text"]: ...

    def oracle(
        self, brackets: Sequence[Bracket], n: int, symbols: Sequence[str] | None = None
    ) -> list[int]:
        """The actions that build a tree. Raises BracketError; UnknownLabelError names a label
        that is in no tree of the treebank."""
        ...

    def brackets(self, actions: Sequence[int], n: int) -> list[Bracket]:
        """The tree that actions build, in pre-order. Raises ActionError at an illegal one."""
        ...

    def boundaries(self, actions: Sequence[int], n: int) -> np.ndarray:
        """(T, 5) what `State.boundaries` gives before each of T legal actions."""
        ...

    def settings(self) -> dict[str, Any]:
        """All that the linearization is made of, as JSON: the arguments of its class."""
        ...


def check_brackets(brackets: Sequence[Bracket], n: int) -> None:
    """Check that brackets are a tree over n words, in pre-order.

    Raises BracketError, which names the bracket at fault: none, or none over all words; one
    outside of the sentence or without words; two that cross or are not in pre-order; no label.
    """
    if n < 1:
        raise BracketError("A sentence without words has no tree.")
    if not brackets or brackets[0][1:] != (0, n):
        first = f"the first is {brackets[0]}" if brackets else "there is none"
        raise BracketError(f"The first bracket must span all words, 0 to {n}: {first}.")
    around: list[Bracket] = []
    before = brackets[0]
    for bracket in brackets:
        label, start, end = bracket
        if not label or not isinstance(label, str):
            raise BracketError(f"The bracket over {start} to {end} has no label: {label!r}.")
        if not 0 <= start < end <= n:
            raise BracketError(
                f"The bracket {bracket} is not a span of the {n} words of the sentence."
            )
        if preorder(bracket) < preorder(before):
            raise BracketError(f"Brackets are not in pre-order: {bracket} follows {before}.")
        while around and around[-1].end <= start:
            around.pop()
        if around and end > around[-1].end:
            raise BracketError(f"Two brackets cross: {around[-1]} and {bracket}.")
        around.append(bracket)
        before = bracket


def without_repeated_unaries(brackets: Sequence[Bracket]) -> list[Bracket]:
    """The brackets without those that repeat the one directly around them (X over X), which
    parsers are not asked to find; `NP` over `QP` over `NP` stays."""
    return [bracket for bracket, _ in groupby(brackets)]


def unary_chains(brackets: Iterable[Bracket]) -> list[tuple[Chain, int, int]]:
    """(labels from the outside in, start, end) of every span that has brackets, in pre-order."""
    return [
        (tuple(bracket.label for bracket in same), start, end)
        for (start, end), same in groupby(brackets, key=lambda bracket: bracket[1:])
    ]


def checked_lengths(lengths: Sequence[int]) -> list[int]:
    """The lengths of sentences as integers. Raises ValueError for a sentence without words."""
    checked = [int(length) for length in lengths]
    for number, length in enumerate(checked):
        if length < 1:
            raise ValueError(f"Sentence {number} has {length} words: only words can be parsed.")
    return checked
