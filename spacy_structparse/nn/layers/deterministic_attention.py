"""Deterministic attention (Ma et al. 2017, §3.2).

The parser's own stack says which positions of the sentence count; each has a matrix of its own.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from ..kernels.packed_linear import project
from .initialization import glorot_uniform_


@dataclass(frozen=True)
class KeyRows:
    """Rows of :meth:`DeterministicAttention.keys` for the positions of N states.

    Attributes:
        first: (N, n_positions) the rows of the first position of each state's sentence, one for
            each place of D.
        padding: (n_positions,) the rows of a position that does not exist.
    """

    first: Tensor
    padding: Tensor

    def of(self, positions: Tensor) -> Tensor:
        """Return D as rows.

        Args:
            positions: (N, n_positions) within the sentence, negative where there is none.
        """
        return torch.where(positions < 0, self.padding, positions * len(self.padding) + self.first)

    def prefix(self, n: int) -> "KeyRows":
        """Return the rows of the first n states."""
        return KeyRows(self.first[:n], self.padding)

    def select(self, states: Tensor) -> "KeyRows":
        """Return the rows of some states, (N',)."""
        return KeyRows(self.first.index_select(0, states), self.padding)


class DeterministicAttention(nn.Module):
    """c = sum over m of A_m h[D_m] (Eq. 6).

    A position that does not exist is one learned vector (``padding``).

    Args:
        n_input: Width of a position.
        n_positions: How many positions a step reads, |D|.
        width: Width of c.

    Attributes:
        reads_bfloat16: Whether positions are mapped in bfloat16, without a further map, on a CPU
            that has instructions for it.
    """

    reads_bfloat16 = False

    def __init__(self, n_input: int, n_positions: int, width: int) -> None:
        super().__init__()
        self.n_positions, self.width = n_positions, width
        self.padding = nn.Parameter(torch.zeros(n_input))
        self.weight = nn.Parameter(torch.empty(n_positions * width, n_input))
        glorot_uniform_(self.weight)

    def keys(self, positions: Tensor, then: Tensor | None = None) -> Tensor:
        """Return A_m h for every position and m: ((P + 1) * n_positions, width), padding last.

        Args:
            positions: (P, n_input).
            then: (n, width) a linear map that c goes through next. It is applied here, since
                W sum A_m h = sum (W A_m) h; rows are then n wide.
        """
        every = torch.cat([positions, self.padding[None]])
        weight: Tensor = self.weight
        width = self.width
        if then is not None:
            maps = weight.view(self.n_positions, width, -1)
            weight, width = (then @ maps).flatten(0, 1), len(then)
        reduced = self.reads_bfloat16 and then is None
        return project(every, weight, bfloat16=reduced).view(-1, width)

    def forward(self, keys: Tensor, rows: Tensor) -> Tensor:
        """Return c of each step: (N, width).

        Args:
            keys: Of :meth:`keys`.
            rows: (N, n_positions) D as rows of the keys, see :meth:`rows`.
        """
        return embedding_bag(rows, keys, mode="sum")

    def rows(self, starts: Tensor, n_positions: int) -> KeyRows:
        """Return the rows of :meth:`keys` for states.

        Args:
            starts: (N,) the first position of each state's sentence.
            n_positions: Positions of all sentences.
        """
        m = torch.arange(self.n_positions, device=starts.device)
        return KeyRows(starts[:, None] * self.n_positions + m, n_positions * self.n_positions + m)
