"""Scores for the side and the distance of a head.

A head is scored by its position relative to the word, in the way of the relative keys of Shaw et
al. (2018, Eq. 4): r_i a_d, where d is the range of distances that the head lies in. A bilinear
scorer alone tells similar words apart only by what the encoder knows of their positions.
"""

import torch
from torch import Tensor, nn

from ..kernels.packed_linear import project

# The longest distance of each range. A last range holds all longer distances.
LIMITS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
N_RANGES = len(LIMITS) + 1


class ArcDistance(nn.Module):
    """Scores of ranges of distances to the left and to the right, zero at first.

    Args:
        n_input: Width of a contextual vector.
    """

    def __init__(self, n_input: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2 * N_RANGES, n_input))
        self.bias = nn.Parameter(torch.zeros(2 * N_RANGES))

    def projections(self, contextual: Tensor) -> Tensor:
        """Score every range for every position: (P, n_input) to (P, 2 * N_RANGES)."""
        return project(contextual, self.weight, self.bias)

    def forward(self, dependents: Tensor) -> Tensor:
        """Look up the scores of word j as the head of word i; the diagonal has no meaning.

        Args:
            dependents: (B, n, 2 * N_RANGES) of :meth:`projections`.

        Returns:
            (B, n, n).
        """
        b, n = dependents.shape[:2]
        return dependents.gather(2, _ranges(n, dependents.device).expand(b, n, n))


def _ranges(n: int, device: torch.device) -> Tensor:
    """(n, n) the range of word j seen from word i; ranges to the left come first."""
    place = torch.arange(n, device=device)
    apart = place - place[:, None]
    limits = torch.tensor(LIMITS, device=device)
    return torch.bucketize(apart.abs(), limits) + N_RANGES * (apart > 0)
