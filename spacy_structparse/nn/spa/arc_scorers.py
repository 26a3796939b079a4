"""How well one word would do as the head of another.

Bilinear and concat scorers are those of Eq. 8 of "RNN-Based Sequence-Preserved Attention for
Dependency Parsing"; biaffine is Dozat & Manning's (2017, §2), over perceptrons of its own.
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
    """Scores all pairs of positions of sentences of about one length.

    What each position brings to its pairs is computed once, for all sentences together.
    """

    @abstractmethod
    def sides(self, r: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        """What a position brings as a dependent and as a head: (P, …) each. r: (P, n_input); rate:
        dropout."""

    @abstractmethod
    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Scores of heads: (B, n, m). dependents: (B, n, …), heads: (B, m, …) of :meth:`sides`."""


class Bilinear(ArcScorer):
    """s = r_j W r_i."""

    def __init__(self, n_input: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_input, n_input))
        glorot_uniform_(self.weight)

    def sides(self, r: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        return project(r, self.weight), r

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        return torch.bmm(dependents, heads.transpose(1, 2))


class Concat(ArcScorer):
    """s = v max(0, W (r_j, r_i) + b).

    hidden: of v. max_cells: the most pairs, times ``hidden``, in memory together; in training what
    does not fit is computed again on the way back."""

    def __init__(self, n_input: int, hidden: int, max_cells: int) -> None:
        super().__init__()
        self.max_pairs = max(1, max_cells // hidden)
        self.of_dependent = nn.Parameter(torch.empty(hidden, n_input))
        self.of_head = nn.Parameter(torch.empty(hidden, n_input))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.v = nn.Parameter(torch.empty(hidden))
        for parameter in (self.of_dependent, self.of_head, self.v):
            glorot_uniform_(parameter)

    def sides(self, r: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        return project(r, self.of_dependent, self.bias), project(r, self.of_head)

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        size = max(1, self.max_pairs // (heads.shape[0] * heads.shape[1]))
        return checkpointed(lambda part: self._compare(part, heads), size, dependents, dim=1)

    def _compare(self, dependents: Tensor, heads: Tensor) -> Tensor:
        return (dependents[:, :, None] + heads[:, None]).relu_() @ self.v


class Biaffine(ArcScorer):
    """s = h_j U d_i + h_j u, d and h perceptrons of r of their own. hidden: of both."""

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__()
        self.of_dependent, self.of_head = nn.Linear(n_input, hidden), nn.Linear(n_input, hidden)
        self.weight = nn.Parameter(torch.zeros(hidden, hidden + 1))
        for layer in (self.of_dependent, self.of_head):
            glorot_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def sides(self, r: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        dependent, head = (
            dropout(project(r, layer.weight, layer.bias).relu(), rate, training=rate > 0)
            for layer in (self.of_dependent, self.of_head)
        )
        return project(dependent, self.weight[:, :-1], self.weight[:, -1]), head

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        return torch.bmm(dependents, heads.transpose(1, 2))
