"""Outputs of a decoder that may take every action, and the trees that they come closest to.

They are for translations; and, in comparisons with the papers, for trees that are repaired
afterwards. An output ends with its first END, or is cut off at the length that legal derivations
may have.

To repair a top-down output Vinyals et al. (2015, §3.2) add brackets at its beginning or its end
until it is balanced, and do not describe the rest. These rules apply in order:

* actions after the first ``</s>`` do not count; an output without one is cut off, and malformed;
* a closing bracket closes the innermost open one, whatever label it names;
* a closing bracket without an open one gets its opening bracket at the beginning (``TOP`` if it
  names no label);
* words beyond the sentence's are dropped;
* brackets still open are closed at the end;
* missing words go to the end of the first bracket, if that has all other words;
* brackets without words are dropped;
* where no bracket has all words, ``TOP`` is put around them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from ...brackets import TOP_LABEL, Bracket
from .interface import IDLE, Actions, State
from .open_bracket_states import CLOSE, END, OPEN, WORD
from .top_down import TopDown


@dataclass
class UnconstrainedState(State):
    """B outputs side by side.

    Attributes:
        allowed: (n_actions,) bool; False for actions that are never taken.
        step: The number of actions taken.
        most: (B,) the number of actions after which an output is cut off.
    """

    rows: ClassVar[tuple[str, ...]] = ("most", "finished")

    allowed: Tensor
    step: int
    most: Tensor

    def legal_mask(self) -> Tensor:
        """(B, n_actions) bool: all that are allowed, but for a finished output IDLE alone."""
        mask = self.finished.logical_not()[:, None] & self.allowed
        mask[:, IDLE] = True
        return mask

    def apply(self, actions: Tensor) -> None:
        """Take one action in every row, in place."""
        self.step += 1
        self.finished = self.finished | (actions == IDLE) | (self.step >= self.most)

    def boundaries(self) -> Tensor:
        """A ValueError: an output that is no tree has no stack to read them off."""
        raise ValueError("an unconstrained output has no boundaries: attend probabilistically")


def unconstrained(
    actions: Actions, lengths: Sequence[int], like: Tensor, never: Sequence[int] = ()
) -> UnconstrainedState:
    """The state before the first action.

    Args:
        actions: The actions.
        lengths: (B,) words of each sentence, at least one.
        like: A tensor on the device that the state is for.
        never: Actions that are never taken.
    """
    most = [actions.max_steps(n) for n in lengths]
    allowed = like.new_ones(len(actions), dtype=torch.bool)
    allowed[list(never)] = False
    return UnconstrainedState(
        allowed=allowed,
        step=0,
        most=like.new_tensor(most, dtype=torch.long),
        finished=allowed.new_zeros(len(most)),
    )


@dataclass(frozen=True)
class Repaired:
    """The tree of an output, and the faults of the output.

    Attributes:
        brackets: In pre-order, the first over all words.
        problems: Some of ``PROBLEMS``, each once and in this order.
    """

    brackets: list[Bracket]
    problems: tuple[str, ...]

    @property
    def malformed(self) -> bool:
        """Return whether the output was not a tree over the sentence."""
        return bool(self.problems)


PROBLEMS = (
    "cut off",
    "wrong closing label",
    "unopened bracket",
    "extra words",
    "unclosed bracket",
    "missing words",
    "empty bracket",
    "no root",
)


def repair(linearization: TopDown, actions: Sequence[int], n: int) -> Repaired:
    """Find the tree over n words that a sequence of top-down actions comes closest to.

    A complete linearization, ``</s>`` included, gives its tree and no problem. The choice among the
    actions that read a word makes no difference.
    """
    problems: set[str] = set()
    brackets: list[Bracket] = []  # in the order of opening; end -1 while open
    is_open: list[int] = []
    read = 0
    for action in actions:
        kind, label = int(linearization.kind_of[action]), int(linearization.label_of[action])
        named = linearization.labels[label] if label >= 0 else TOP_LABEL
        if kind == END:
            break
        if kind == WORD:
            if read == n:
                problems.add("extra words")
            read = min(read + 1, n)
        elif kind == OPEN:
            is_open.append(len(brackets))
            brackets.append(Bracket(named, read, -1))
        elif kind == CLOSE and is_open:
            place = is_open.pop()
            if linearization.closing_labels and brackets[place].label != named:
                problems.add("wrong closing label")
            brackets[place] = brackets[place]._replace(end=read)
        else:
            problems.add("unopened bracket")
            brackets.insert(0, Bracket(named, 0, read))
    else:
        problems.add("cut off")
    for place in is_open:
        problems.add("unclosed bracket")
        brackets[place] = brackets[place]._replace(end=read)
    if read < n:
        problems.add("missing words")
        if brackets and brackets[0][1:] == (0, read):
            brackets[0] = brackets[0]._replace(end=n)
    filled = [bracket for bracket in brackets if bracket.start < bracket.end]
    if len(filled) < len(brackets):
        problems.add("empty bracket")
    if not filled or filled[0][1:] != (0, n):
        problems.add("no root")
        filled.insert(0, Bracket(TOP_LABEL, 0, n))
    return Repaired(filled, tuple(problem for problem in PROBLEMS if problem in problems))
