"""States that allow every action: what a sequence-to-sequence parser writes when nothing guides it.

For comparison with the papers, whose outputs are repaired afterwards
(:mod:`spacy_structparse.transitions.repair`). A sentence ends with its first END, or is cut off
after as many actions as a tree over its words can take.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .constituency import IDLE, checked_lengths
from .top_down import TopDown


@dataclass
class UnconstrainedState:
    """B outputs side by side.

    n_actions: of the linearization. step: the actions taken so far. most: (B,) after how many an
    output is cut off. finished: (B,) bool.
    """

    n_actions: int
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
        """(B, n_actions) bool: everything, but for a finished output IDLE alone."""
        mask = self.finished.logical_not()[:, None].repeat(1, self.n_actions)
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
    linearization: TopDown, lengths: Sequence[int], device: torch.device
) -> UnconstrainedState:
    """The state before the first action. lengths: (B,) words, at least one each."""
    most = [linearization.max_steps(n) for n in checked_lengths(lengths)]
    return UnconstrainedState(
        n_actions=len(linearization),
        step=0,
        most=torch.tensor(most, dtype=torch.long, device=device),
        finished=torch.zeros(len(most), dtype=torch.bool, device=device),
    )
