"""Choice of head words in parsing: which child's head a combined element takes.

Ma et al. (2017, §3.3) train with the heads of head-finding rules but parse with those of right-most
children, which agree in 77.78 % of the nodes only (§4.2). Here the head of a new element is that of
the child whose head word has the higher score; the scores are learned from the heads of the rules,
beside the parser, and need neither tags nor labels.
"""

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from ...transitions.constituency.bottom_up import COMBINE, SHIFT
from ..kernels.autocast import at_least_single
from ..layers.initialization import glorot_uniform_


class HeadChoice(nn.Module):
    """Scores of positions as head words.

    Args:
        n_input: Width of a position.
        hidden: Width of the tanh layer.
    """

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(n_input, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)
        for layer in (self.hidden, self.score):
            glorot_uniform_(layer.weight)
        nn.init.zeros_(self.hidden.bias)

    def forward(self, positions: Tensor) -> Tensor:
        """Score positions. positions: (P, n_input). Returns (P,)."""
        return self.score(self.hidden(positions).tanh()).squeeze(1)

    def loss(self, scores: Tensor, heads: Tensor, others: Tensor) -> Tensor:
        """The negative log-likelihood of each choice: (C,).

        Args:
            scores: (P,) of all positions.
            heads: (C,) the position of the head that was taken.
            others: (C,) the position of the other child's head.
        """
        taken, left = scores.index_select(0, heads), scores.index_select(0, others)
        return -logsigmoid(at_least_single(taken - left))


class HeadTracker:
    """The head words of the elements on the stacks of many derivations.

    Args:
        scores: (P,) of all positions.
        starts: (N,) the first position of each row's sentence.
        longest: Words of the longest sentence.
    """

    def __init__(self, scores: Tensor, starts: Tensor, longest: int) -> None:
        self.scores, self.starts = scores, starts
        # Of the element that ends at each fencepost.
        self.heads = starts.new_zeros(len(starts), longest + 1)
        self.start = torch.zeros_like(starts)  # of the topmost element, before the last action

    def step(self, previous: Tensor, boundaries: Tensor) -> Tensor:
        """The heads of [r, s) and [s, t) before the next action.

        Args:
            previous: (N,) the last action.
            boundaries: (N, 5) (0, r, s, t, n).

        Returns:
            (N, 2), -1 where there is no such element.
        """
        r, s, t = boundaries[:, 1], boundaries[:, 2].clamp(min=0), boundaries[:, 3]
        right = self.heads.gather(1, t[:, None])[:, 0]
        left = self.heads.gather(1, self.start[:, None])[:, 0]
        score_of = self.scores.index_select
        is_left = score_of(0, self.starts + left) > score_of(0, self.starts + right)
        combined = torch.where(is_left, left, right)
        shifted = (t - 1).clamp(min=0)
        new = torch.where(previous == COMBINE, combined, right)
        new = torch.where(previous == SHIFT, shifted, new)
        self.heads.scatter_(1, t[:, None], new[:, None])
        self.start = s
        below = self.heads.gather(1, s[:, None])[:, 0]
        return torch.stack([torch.where(r < 0, r, below), torch.where(t > 0, new, -1)], 1)

    def select(self, rows: Tensor) -> None:
        """Continue other rows. rows: (M,)."""
        self.starts, self.start = (x.index_select(0, rows) for x in (self.starts, self.start))
        self.heads = self.heads.index_select(0, rows)
