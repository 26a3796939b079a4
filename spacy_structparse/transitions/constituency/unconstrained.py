"""States that allow every action.

They are for translations; and, in comparisons with the papers, for trees that are repaired
afterwards (:mod:`~spacy_structparse.transitions.constituency.repair`). An output ends with its
first END, or is cut off at the length that legal derivations may have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .interface import IDLE, Actions, checked_lengths


@dataclass
class UnconstrainedState:
    """B outputs side by side.

    Attributes:
        allowed: (n_actions,) bool; False for actions that are never taken.
        step: The number of actions taken.
        most: (B,) the number of actions after which an output is cut off.
        finished: (B,) bool.
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
        """Take one action in every row, in place."""
        self.step += 1
        self.finished = self.finished | (actions == IDLE) | (self.step >= self.most)

    def boundaries(self) -> Tensor:
        """A ValueError: an output that is no tree has no stack to read them off."""
        raise ValueError("an unconstrained output has no boundaries: attend probabilistically")

    @property
    def keeps_boundaries(self) -> bool:
        """False: there are none."""
        return False

    def select(self, rows: Tensor) -> "UnconstrainedState":
        """The state of other rows."""
        most, finished = (x.index_select(0, rows) for x in (self.most, self.finished))
        return replace(self, most=most, finished=finished)


def unconstrained(
    actions: Actions, lengths: Sequence[int], device: torch.device, never: Sequence[int] = ()
) -> UnconstrainedState:
    """The state before the first action.

    Args:
        actions: The actions.
        lengths: (B,) words of each sentence, at least one.
        device: The device of the state.
        never: Actions that are never taken.
    """
    most = [actions.max_steps(n) for n in checked_lengths(lengths)]
    allowed = torch.ones(len(actions), dtype=torch.bool)
    allowed[list(never)] = False
    return UnconstrainedState(
        allowed=allowed.to(device),
        step=0,
        most=torch.tensor(most, dtype=torch.long, device=device),
        finished=torch.zeros(len(most), dtype=torch.bool, device=device),
    )
