"""Bottom-up derivations (Ma et al. 2017, Table 3): of one sentence, and of a batch."""

from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Self

import torch
from torch import Tensor

from .interface import IDLE, PADDING, State

SHIFT, COMBINE, NO_LABEL, FIRST_LABEL = range(4)


class BottomUpDerivation:
    """A derivation of n words: what `BottomUpState` is for many, as plain numbers."""

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

    def copy(self) -> Self:
        """A derivation that goes on by itself."""
        other = copy(self)
        other.starts = self.starts.copy()
        return other


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
