"""Scores of one word as the head of another.

``Bilinear`` and ``Concat`` are the scorers of Eq. 8 of "RNN-Based Sequence-Preserved Attention for
Dependency Parsing". ``Biaffine`` is that of Dozat & Manning (2017, §2), with perceptrons of its
own.
"""

from abc import ABC, abstractmethod
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..kernels.checkpointing import checkpointed
from ..kernels.packed_linear import project
from ..layers.initialization import glorot_uniform_

ScorerKind = Literal["bilinear", "concat", "biaffine"]


class ArcScorer(nn.Module, ABC):
    """Scores of all pairs of positions of sentences of about one length.

    The projections of a position, all that its pairs need of it, are computed once.

    Attributes:
        reads_bfloat16: Whether positions are projected in bfloat16 on a CPU that has instructions
            for it.
    """

    reads_bfloat16 = False

    @abstractmethod
    def projections(self, contextual: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        """Project every position as a dependent and as a head.

        Args:
            contextual: (P, n_input) r.
            rate: Dropout.

        Returns:
            (P, ...) each.
        """

    @abstractmethod
    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Compute s(r_j, r_i) (Eq. 8).

        Args:
            dependents: (B, n, ...) of :meth:`projections`.
            heads: (B, m, ...) of :meth:`projections`.

        Returns:
            (B, n, m).
        """


class Bilinear(ArcScorer):
    """s = r_j W r_i (Eq. 8).

    Args:
        n_input: Width of r.
    """

    def __init__(self, n_input: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_input, n_input))
        glorot_uniform_(self.weight)

    def projections(self, contextual: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        return project(contextual, self.weight, bfloat16=self.reads_bfloat16), contextual

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        return torch.bmm(dependents, heads.transpose(1, 2))


class Concat(ArcScorer):
    """s = v max(0, W (r_j, r_i) + b) (Eq. 8).

    Args:
        n_input: Width of r.
        hidden: Width of v.
        max_cells: Maximum number of pairs, times ``hidden``, in memory together. In training,
            parts of larger batches are computed again for their gradients.
    """

    def __init__(self, n_input: int, hidden: int, max_cells: int) -> None:
        super().__init__()
        self.max_pairs = max(1, max_cells // hidden)
        self.of_dependent = nn.Parameter(torch.empty(hidden, n_input))
        self.of_head = nn.Parameter(torch.empty(hidden, n_input))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.v = nn.Parameter(torch.empty(hidden))
        for parameter in (self.of_dependent, self.of_head, self.v):
            glorot_uniform_(parameter)

    def projections(self, contextual: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        reduced = self.reads_bfloat16
        dependents = project(contextual, self.of_dependent, self.bias, reduced)
        return dependents, project(contextual, self.of_head, bfloat16=reduced)

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        size = max(1, self.max_pairs // (heads.shape[0] * heads.shape[1]))
        return checkpointed(lambda part: self._compare(part, heads), size, dependents, dim=1)

    def _compare(self, dependents: Tensor, heads: Tensor) -> Tensor:
        return (dependents[:, :, None] + heads[:, None]).relu_() @ self.v


class Biaffine(ArcScorer):
    """s = h_j U d_i + h_j u, d and h being perceptrons of r (Dozat & Manning 2017, §2).

    Args:
        n_input: Width of r.
        hidden: Width of the perceptrons.
    """

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__()
        self.of_dependent, self.of_head = nn.Linear(n_input, hidden), nn.Linear(n_input, hidden)
        self.weight = nn.Parameter(torch.zeros(hidden, hidden + 1))
        for layer in (self.of_dependent, self.of_head):
            glorot_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def projections(self, contextual: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        reduced = self.reads_bfloat16
        hidden = (
            project(contextual, layer.weight, layer.bias, reduced).relu()
            for layer in (self.of_dependent, self.of_head)
        )
        dependent, head = (dropout(x, rate, training=rate > 0) for x in hidden)
        return project(dependent, self.weight[:, :-1], self.weight[:, -1], reduced), head

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        return torch.bmm(dependents, heads.transpose(1, 2))
