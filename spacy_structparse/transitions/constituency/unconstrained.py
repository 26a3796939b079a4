"""States that allow every action: what a sequence-to-sequence model writes when nothing guides it.

The words of a translation; and, for comparison with the papers, trees that are repaired afterwards
(:mod:`repair`). An output ends with its first END, or is cut off
after as many actions as a tree over the words, or a translation of them, may take.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .interface import IDLE, Actions, checked_lengths


@dataclass
class UnconstrainedState:
    """B outputs side by side.

    allowed: (n_actions,) bool, the actions that are ever taken. step: the actions taken so far.
    most: (B,) after how many an output is cut off. finished: (B,) bool.
    """

    allowed: Tensor
    step: int
    most: Tensor
    finished: Tensor

    def __len__(self) -> int:
        return len(self.most)

    @property
    def word_actions(self) -> None:
        """None: whichever of them is chosen counts."""
        return None

    def legal_mask(self) -> Tensor:
        """(B, n_actions) bool: all that are allowed, but for a finished output IDLE alone."""
        mask = self.finished.logical_not()[:, None] & self.allowed
        mask[:, IDLE] = True
        return mask

    def apply(self, actions: Tensor) -> None:
        """Take one action in every row, in place. actions: (B,) long."""
        self.step += 1
        self.finished = self.finished | (actions == IDLE) | (self.step >= self.most)

    def boundaries(self) -> Tensor:
        """A ValueError: an output that is no tree has no stack to read them off."""
        raise ValueError("an unconstrained output has no boundaries: attend probabilistically")

    def select(self, rows: Tensor) -> "UnconstrainedState":
        """The state of other rows. rows: (B',) long."""
        most, finished = (x.index_select(0, rows) for x in (self.most, self.finished))
        return replace(self, most=most, finished=finished)


def unconstrained(
    actions: Actions, lengths: Sequence[int], device: torch.device, never: Sequence[int] = ()
) -> UnconstrainedState:
    """The state before the first action. lengths: (B,) words, at least one each; never: actions
    that are not taken."""
    most = [actions.max_steps(n) for n in checked_lengths(lengths)]
    allowed = torch.ones(len(actions), dtype=torch.bool)
    allowed[list(never)] = False
    return UnconstrainedState(
        allowed=allowed.to(device),
        step=0,
        most=torch.tensor(most, dtype=torch.long, device=device),
        finished=torch.zeros(len(most), dtype=torch.bool, device=device),
    )
