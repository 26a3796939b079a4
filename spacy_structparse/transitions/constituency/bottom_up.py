"""Bottom-up transitions (Cross & Huang 2016; Ma et al. 2017, §3.1, Tables 2 and 3).

Even steps build structure: ``sh`` moves the next word to the stack, ``comb`` joins the two topmost
elements. Odd steps label the new element: ``label-X``, or ``nolabel`` for one that is no
constituent (a node of the implicit binarization, a word without a bracket). A unary chain is one
joined label. n words take exactly 4n - 2 actions.

Two rules differ from Table 3. ``sh`` may take the last word, and ``nolabel`` is refused at the last
step, which labels the root. The boundaries (r, s, t) at a step are read off the stack before its
action.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from ...brackets import Bracket
from ...errors import ActionError
from .interface import (
    HOST,
    IDLE,
    PADDING,
    Chain,
    KnownSpans,
    Linearization,
    State,
    check_brackets,
    unary_chains,
)

SHIFT, COMBINE, NO_LABEL, FIRST_LABEL = range(4)
JOINT = "+"
"""The text between the labels of a unary chain in the name of its action."""


class BottomUp(Linearization):
    """The bottom-up actions: ``sh``, ``comb``, ``nolabel``, then ``label-X`` for every chain.

    Args:
        chains: The unary chains that can be labelled, each as its labels from the outside in. Most
            have one label.
    """

    name = "bottom_up"

    def __init__(self, chains: Sequence[Sequence[str]]) -> None:
        self.chains: tuple[Chain, ...] = tuple(map(tuple, chains))
        self._action_of = {chain: FIRST_LABEL + i for i, chain in enumerate(self.chains)}
        self.labels = tuple(sorted({label for chain in self.chains for label in chain}))
        labelling = [f"label-{JOINT.join(chain)}" for chain in self.chains]
        self.names = ["sh", "comb", "nolabel", *labelling]
        self.closes = np.zeros(len(self.names), dtype=bool)

    @classmethod
    def from_treebank(cls, treebank: Iterable[Sequence[Bracket]]) -> Self:
        """Collect the actions for the trees of a treebank, chains in sorted order."""
        return cls(sorted({chain for tree in treebank for chain, _, _ in unary_chains(tree)}))

    def settings(self) -> dict[str, Any]:
        """The arguments of the class."""
        return {"chains": [list(chain) for chain in self.chains]}

    def max_steps(self, n: int) -> int:
        """The number of actions, 4n - 2. It is not only a bound."""
        return 4 * n - 2

    def label_action(self, chain: Chain | None) -> int:
        """The action that labels an element; None: no constituent. Raises ActionError."""
        if chain is None:
            return NO_LABEL
        try:
            return self._action_of[chain]
        except KeyError:
            what = f"unary chain {JOINT.join(chain)!r}" if len(chain) > 1 else f"label {chain[0]!r}"
            raise ActionError(
                f"The {what} is not among the {len(self.chains)} of the training trees."
            ) from None

    def oracle(
        self, brackets: Sequence[Bracket], n: int, symbols: Sequence[str] | None = None
    ) -> list[int]:
        """The static oracle: combine as soon as both elements are children of one bracket.

        So brackets of several children are built from the left, and the stack stays short.
        """
        check_brackets(brackets, n)
        chains = {(start, end): chain for chain, start, end in unary_chains(brackets)}
        spans = iter([*chains, (n, n)])
        following = next(spans)
        around: list[tuple[int, int]] = []  # brackets begun and not yet complete
        starts: list[int] = []  # of the elements on the stack
        actions: list[int] = []
        for end in range(1, n + 1):
            while following[0] < end < following[1]:
                around.append(following)
                following = next(spans)
            if following == (end - 1, end):
                following = next(spans)
            starts.append(end - 1)
            actions += [SHIFT, self.label_action(chains.get((end - 1, end)))]
            while around and around[-1][0] < starts[-1]:
                starts.pop()
                is_complete = (starts[-1], end) == around[-1]
                chain = chains[around.pop()] if is_complete else None
                actions += [COMBINE, self.label_action(chain)]
        return actions

    def brackets(self, actions: Sequence[int], n: int) -> list[Bracket]:
        """Build the tree of 4n - 2 actions, in pre-order."""
        of_elements: list[list[Bracket]] = []  # those on the stack
        for action, derivation in self.replay(actions, n):
            if action == SHIFT:
                of_elements.append([])
            elif action == COMBINE:
                right = of_elements.pop()
                of_elements[-1] += right
            elif action >= FIRST_LABEL:
                start, end = derivation.starts[-1], derivation.t
                chain = self.chains[action - FIRST_LABEL]
                of_elements[-1][:0] = [Bracket(label, start, end) for label in chain]
        return of_elements[0]

    def strip_padding(self, actions: np.ndarray) -> np.ndarray:
        """Remove the actions after the last label, which is that of the root."""
        return actions[: len(np.trim_zeros(actions, "b"))]

    def derivation(self, n: int) -> "BottomUpDerivation":
        """The derivation of n words before the first action."""
        return BottomUpDerivation(n)

    def constraint(self, known: KnownSpans, n: int) -> "BottomUpConstraint":
        """The constraint of a search that keeps known spans."""
        return BottomUpConstraint(self, known, n)

    def _bracket_log_probs(
        self, actions: Sequence[int], n: int, log_probs: list[float], closing: np.ndarray
    ) -> Iterator[tuple[Bracket, float]]:
        """The decisions of a bracket: to keep the element that begins where it does until its last
        word is read, then to combine until there is one element over its words, and its label."""
        stays: list[float] = []  # of each element: that it was not combined with the one below
        combined = 0.0  # since the last word was read
        for log_p, (action, derivation) in zip(log_probs, self.replay(actions, n), strict=False):
            if action == SHIFT:
                if stays:
                    stays[-1] += log_p
                stays.append(0.0)
                combined = 0.0
            elif action == COMBINE:
                stays.pop()
                combined += log_p
            elif action >= FIRST_LABEL:
                start, end = derivation.starts[-1], derivation.t
                for label in self.chains[action - FIRST_LABEL]:
                    yield Bracket(label, start, end), stays[-1] + combined + log_p

    def initial(
        self,
        lengths: Sequence[int],
        symbols: Sequence[Sequence[str]] | None = None,
        like: Tensor = HOST,
    ) -> "BottomUpState":
        """The state before the first action; symbols are not read."""
        n = like.new_tensor(lengths, dtype=torch.long)
        return BottomUpState(
            n_actions=len(self),
            step=0,
            n=n,
            t=torch.zeros_like(n),
            s=torch.zeros_like(n),
            starts=n.new_zeros(len(lengths), max(lengths, default=0) + 1),
            finished=torch.zeros_like(n, dtype=torch.bool),
        )


class BottomUpDerivation:
    """A derivation of n words."""

    t = 0
    to_label = finished = False

    def __init__(self, n: int) -> None:
        self.n = n
        self.starts: list[int] = []
        """The starts of the elements on the stack."""

    def is_possible(self, action: int) -> bool:
        """Return whether an action is legal."""
        if self.to_label:
            is_root = self.t == self.n and len(self.starts) == 1
            return action >= (FIRST_LABEL if is_root else NO_LABEL)
        return self.t < self.n if action == SHIFT else action == COMBINE and len(self.starts) > 1

    def apply(self, action: int) -> None:
        """Take a legal action."""
        if self.finished:
            return
        if self.to_label:
            self.finished = self.t == self.n and len(self.starts) == 1
        elif action == SHIFT:
            self.starts.append(self.t)
            self.t += 1
        else:
            self.starts.pop()
        self.to_label = not self.to_label

    def boundaries(self) -> tuple[int, ...]:
        return 0, *([PADDING, PADDING, *self.starts][-2:]), self.t, self.n


class BottomUpConstraint(BottomUpDerivation):
    """A derivation that keeps known spans.

    A binary tree none of whose nodes crosses a span has a node over it. So actions are refused
    after which a node would cross one: to shift while the span that ends here is not yet one
    element, and to combine an element in which a span begins with one before it, before that span
    ends.

    Args:
        linearization: The actions.
        known: The spans, none of which cross.
        n: The words of the sentence.
    """

    def __init__(self, linearization: BottomUp, known: KnownSpans, n: int) -> None:
        super().__init__(n)
        self._any = np.ones(len(linearization), dtype=bool)
        self._labels: dict[tuple[int, int], np.ndarray] = {}
        self._widest: dict[int, int] = {}  # the first start of the spans that end at a fencepost
        for (start, end), labels in known.items():
            allowed = self._any.copy()
            allowed[NO_LABEL] = False
            allowed[FIRST_LABEL:] = [labels <= set(chain) for chain in linearization.chains]
            self._labels[start, end] = allowed
            self._widest[end] = min(start, self._widest.get(end, start))

    def allowed(self) -> np.ndarray:
        """(n_actions,) bool."""
        if self.finished or not self.starts:
            return self._any
        start, end = self.starts[-1], self.t
        if self.to_label:
            return self._labels.get((start, end), self._any)
        allowed = self._any.copy()
        allowed[SHIFT] = self._widest.get(end, start) >= start
        if len(self.starts) > 1:
            below = self.starts[-2]
            allowed[COMBINE] = not any(below < i < end < j for i, j in self._labels)
        return allowed


@dataclass
class BottomUpState(State):
    """B derivations side by side.

    Elements on the stack touch each other: the end of one is the start of the next. So the stack is
    a chain of fenceposts.

    Attributes:
        n_actions: The number of actions.
        step: The number of actions taken.
        n: (B,) words of the sentence.
        t: (B,) words shifted.
        s: (B,) the start of the topmost element; 0 on an empty stack.
        starts: (B, longest+1) the start of the element that ends at a fencepost, for elements on
            the stack; 0 at fencepost 0.
    """

    rows: ClassVar[tuple[str, ...]] = ("n", "t", "s", "starts", "finished")

    n_actions: int
    step: int
    n: Tensor
    t: Tensor
    s: Tensor
    starts: Tensor

    def legal_mask(self) -> Tensor:
        """(B, n_actions) bool."""
        if self.step % 2:
            mask = self.finished.logical_not()[:, None].repeat(1, self.n_actions)
            mask[:, SHIFT] = mask[:, COMBINE] = False
            mask[:, NO_LABEL] &= (self.t < self.n) | (self.s > 0)
        else:
            mask = self.finished.new_zeros(len(self), self.n_actions)
            mask[:, SHIFT] = self.t < self.n
            # A finished sentence has one element that begins at 0.
            mask[:, COMBINE] = self.s > 0
        mask[:, IDLE] |= self.finished
        return mask

    def apply(self, actions: Tensor) -> None:
        """Take one legal action in every row, in place."""
        if self.step % 2:
            self.finished = (self.t == self.n) & (self.s == 0)
        else:
            shift = (actions == SHIFT) & ~self.finished
            combine = (actions == COMBINE) & ~self.finished
            self.s = torch.where(shift, self.t, torch.where(combine, self._below(), self.s))
            self.t = self.t + shift
            self.starts.scatter_(1, self.t[:, None], self.s[:, None])
        self.step += 1

    def _below(self) -> Tensor:
        """(B,) the start of the element below the topmost; 0 if there is none."""
        return self.starts.gather(1, self.s[:, None])[:, 0]

    def boundaries(self) -> Tensor:
        """(B, 5) long: the positions (0, r, s, t, n), PADDING where there is no such element."""
        r = torch.where(self.s > 0, self._below(), PADDING)
        s = torch.where(self.t > 0, self.s, PADDING)
        return torch.stack([torch.zeros_like(self.n), r, s, self.t, self.n], dim=1)

    @property
    def keeps_boundaries(self) -> bool:
        """True after a label."""
        return self.step > 0 and self.step % 2 == 0
