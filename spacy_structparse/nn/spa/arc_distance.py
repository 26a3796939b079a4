"""On which side of a word its head is, and how far away.

A score of a head by its position relative to the word, as the keys of relative positions are in
attention (Shaw et al. 2018, Eq. 4): r_i a_d, where d is the range of distances on one side that the
head is in. Without it, a bilinear scorer tells words that are alike apart by what an encoder knows
of their places alone.
"""

import torch
from torch import Tensor, nn

from ..kernels.packed_linear import project

# The longest distance of each range; a last one has all that is farther away.
LIMITS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
N_RANGES = len(LIMITS) + 1


class ArcDistance(nn.Module):
    """Scores of ranges of distances, to the left and to the right. n_input: width of a position.

    All are 0 to begin with."""

    def __init__(self, n_input: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2 * N_RANGES, n_input))
        self.bias = nn.Parameter(torch.zeros(2 * N_RANGES))

    def sides(self, r: Tensor) -> Tensor:
        """What every position has for each range: (P, 2 * N_RANGES). r: (P, n_input)."""
        return project(r, self.weight, self.bias)

    def forward(self, dependents: Tensor) -> Tensor:
        """The scores of word j as the head of word i: (B, n, n); what is on the diagonal says
        nothing. dependents: (B, n, 2 * N_RANGES) of :meth:`sides`."""
        b, n = dependents.shape[:2]
        return dependents.gather(2, _ranges(n, dependents.device).expand(b, n, n))


def _ranges(n: int, device: torch.device) -> Tensor:
    """The range that word j is in for word i: (n, n), those to the left first."""
    place = torch.arange(n, device=device)
    apart = place - place[:, None]
    limits = torch.tensor(LIMITS, device=device)
    return torch.bucketize(apart.abs(), limits) + N_RANGES * (apart > 0)
