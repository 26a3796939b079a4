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
from typing import Any, Self

import numpy as np
import torch

from ...brackets import Bracket, preorder
from ...errors import ActionError
from .bottom_up_states import (
    COMBINE,
    FIRST_LABEL,
    NO_LABEL,
    SHIFT,
    BottomUpDerivation,
    BottomUpState,
)
from .interface import (
    PADDING,
    Chain,
    Linearization,
    check_brackets,
    checked_lengths,
    unary_chains,
)

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
        if not self.chains:
            raise ActionError("Bottom-up transitions need at least one label: no tree has any.")
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
        brackets: list[Bracket] = []
        for action, derivation in self.replay(actions, n):
            if action >= FIRST_LABEL:
                chain = self.chains[action - FIRST_LABEL]
                start, end = derivation.starts[-1], derivation.t
                brackets += [Bracket(label, start, end) for label in chain]
        # Stable: the labels of a chain stay in their order.
        return sorted(brackets, key=preorder)

    def boundaries(self, actions: Sequence[int], n: int) -> np.ndarray:
        """(4n-2, 5) the boundaries (0, r, s, t, n) before each action, PADDING for no element."""
        return np.array(
            [
                (0, *([PADDING, PADDING, *derivation.starts][-2:]), derivation.t, n)
                for _, derivation in self.replay(actions, n)
            ],
            dtype=np.int64,
        )

    def strip_padding(self, actions: np.ndarray) -> np.ndarray:
        """Remove the actions after the last label, which is that of the root."""
        return actions[: len(np.trim_zeros(actions, "b"))]

    def replay(self, actions: Sequence[int], n: int) -> Iterator[tuple[int, BottomUpDerivation]]:
        """Yield each action with the derivation before it; all yields share one derivation."""
        if len(actions) != self.max_steps(n):
            raise ActionError(
                f"{n} words take {self.max_steps(n)} bottom-up actions, not {len(actions)}."
            )
        derivation = BottomUpDerivation(n)
        for step, action in enumerate(actions):
            is_known = 0 <= action < len(self)
            if not is_known or not derivation.is_possible(action):
                name = self.names[action] if is_known else action
                raise ActionError(
                    f"Action {step}, {name}, is not possible with {len(derivation.starts)} "
                    f"elements on the stack and {derivation.t} of {n} words read."
                )
            yield action, derivation
            derivation.apply(action)

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
        device: Any = "cpu",
        symbols: Sequence[Sequence[str]] | None = None,
    ) -> BottomUpState:
        """The state before the first action; symbols are not read."""
        lengths = checked_lengths(lengths)
        n = torch.tensor(lengths, dtype=torch.long, device=device)
        return BottomUpState(
            n_actions=len(self),
            step=0,
            n=n,
            t=torch.zeros_like(n),
            s=torch.zeros_like(n),
            starts=n.new_zeros(len(lengths), max(lengths, default=0) + 1),
            finished=torch.zeros_like(n, dtype=torch.bool),
        )


def dynamic_oracle(
    system: BottomUp, actions: Sequence[int], brackets: Sequence[Bracket], n: int
) -> np.ndarray:
    """Find the right actions in every state of a derivation, itself right or wrong.

    This is the dynamic oracle of Cross & Huang (2016, §4). A gold bracket can still be built from a
    state if its start is a fencepost of the stack and its end is not behind the words shifted. The
    smallest such bracket around the topmost element decides: combine if it begins further left,
    shift if it ends further right, either if both. The root can always be built, so that there
    always is one. Labels are those of the gold bracket over the element. These actions build all
    gold brackets that can still be built, and add no wrong one.

    Args:
        system: The linearization.
        actions: 4n - 2 legal actions.
        brackets: The gold tree over the n words.
        n: The number of words.

    Returns:
        (4n-2, n_actions) bool, at least one right action per row.

    Raises:
        ActionError: An action is illegal.
        ActionError: The brackets are no tree over n words.
        ActionError: The derivation meets a gold span whose labels have no action.
    """
    check_brackets(brackets, n)
    gold = unary_chains(brackets)
    labels = {(start, end): chain for chain, start, end in gold}
    # A span before those around it: the first that fits is the smallest.
    gold.sort(key=lambda span: span[2] - span[1])
    starts = np.array([start for _, start, _ in gold])
    ends = np.array([end for _, _, end in gold])
    right = np.zeros((len(actions), len(system)), dtype=bool)
    on_stack = np.zeros(n + 1, dtype=bool)
    positions = system.boundaries(actions, n).tolist()
    for step, (_, _, start, end, _) in enumerate(positions):
        if step % 2:
            right[step, system.label_action(labels.get((start, end)))] = True
            continue
        if step == 0:
            right[step, SHIFT] = True
        else:
            around = on_stack[starts] & (starts <= start) & (ends >= end)
            around &= (starts < start) | (ends > end)
            nearest = int(np.argmax(around))
            right[step, COMBINE] = starts[nearest] < start
            right[step, SHIFT] = ends[nearest] > end
        if actions[step] == SHIFT:
            on_stack[end] = True  # the start of the word shifted
        else:
            on_stack[start] = False
    return right
