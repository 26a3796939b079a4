"""Scores of one word as the head of another, and of the labels of arcs.

``Bilinear`` and ``Concat`` are the scorers of Eq. 8 of "RNN-Based Sequence-Preserved Attention for
Dependency Parsing". ``Biaffine`` is that of Dozat & Manning (2017, §2), with perceptrons of its
own.
"""

from abc import ABC, abstractmethod
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..fast.device import checkpointed, range_like, rows_together
from ..fast.linear import bilinear_forms, fast_linear, linear
from ..layers.training import glorot_layers_, glorot_uniform_

# The longest distance of each range. A last range holds all longer distances.
LIMITS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
N_RANGES = len(LIMITS) + 1


class ArcDistance(nn.Module):
    """Scores of ranges of distances to the left and to the right, zero at first.

    A head is scored by its position relative to the word, in the way of the relative keys of Shaw
    et al. (2018, Eq. 4): r_i a_d, where d is the range of distances that the head lies in. A
    bilinear scorer alone tells similar words apart only by what the encoder knows of their
    positions.

    Args:
        n_input: Width of a contextual vector.
    """

    def __init__(self, n_input: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2 * N_RANGES, n_input))
        self.bias = nn.Parameter(torch.zeros(2 * N_RANGES))

    def projections(self, contextual: Tensor) -> Tensor:
        """Score every range for every position: (P, n_input) to (P, 2 * N_RANGES)."""
        return linear(contextual, self.weight, self.bias)

    def forward(self, dependents: Tensor) -> Tensor:
        """Look up the scores of word j as the head of word i; the diagonal has no meaning.

        Args:
            dependents: (B, n, 2 * N_RANGES) of :meth:`projections`.

        Returns:
            (B, n, n).
        """
        b, n = dependents.shape[:2]
        return dependents.gather(2, _ranges(n, dependents).expand(b, n, n))


def _ranges(n: int, like: Tensor) -> Tensor:
    """(n, n) the range of word j seen from word i; ranges to the left come first."""
    place = range_like(like, n)
    apart = place - place[:, None]
    limits = place.new_tensor(LIMITS)
    return torch.bucketize(apart.abs(), limits) + N_RANGES * (apart > 0)


ScorerKind = Literal["bilinear", "concat", "biaffine"]


class ArcScorer(nn.Module, ABC):
    """Scores of all pairs of positions of sentences of about one length.

    The projections of a position, all that its pairs need of it, are computed once.
    """

    @abstractmethod
    def projections(self, contextual: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        """Project every position as a dependent and as a head.

        Args:
            contextual: (P, n_input) r.
            rate: Dropout.

        Returns:
            (P, ...) each.
        """

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Compute s(r_j, r_i) (Eq. 8), the product of two projections.

        Args:
            dependents: (B, n, ...) of :meth:`projections`.
            heads: (B, m, ...) of :meth:`projections`.

        Returns:
            (B, n, m).
        """
        return torch.bmm(dependents, heads.transpose(1, 2))


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
        return fast_linear(contextual, self.weight), contextual


class Concat(ArcScorer):
    """s = v max(0, W (r_j, r_i) + b) (Eq. 8).

    Args:
        n_input: Width of r.
        hidden: Width of v.
    """

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__()
        self.of_dependent = nn.Parameter(torch.empty(hidden, n_input))
        self.of_head = nn.Parameter(torch.empty(hidden, n_input))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.v = nn.Parameter(torch.empty(hidden))
        for parameter in (self.of_dependent, self.of_head, self.v):
            glorot_uniform_(parameter)

    def projections(self, contextual: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        dependents = fast_linear(contextual, self.of_dependent, self.bias)
        return dependents, fast_linear(contextual, self.of_head)

    def forward(self, dependents: Tensor, heads: Tensor) -> Tensor:
        n_pairs = heads.shape[0] * heads.shape[1]
        size = max(1, rows_together(heads.shape[2]) // n_pairs)
        return checkpointed(lambda part: self._compare(part, heads), size, dependents, dim=1)

    def _compare(self, dependents: Tensor, heads: Tensor) -> Tensor:
        return (dependents[:, :, None] + heads[:, None]).relu_() @ self.v


def perceptron(layer: nn.Linear, x: Tensor, rate: float) -> Tensor:
    """Return max(0, W x + b), with dropout."""
    return dropout(fast_linear(x, layer.weight, layer.bias).relu(), rate, training=rate > 0)


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
        glorot_layers_(self.of_dependent, self.of_head)

    def projections(self, contextual: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        dependent = perceptron(self.of_dependent, contextual, rate)
        head = perceptron(self.of_head, contextual, rate)
        return fast_linear(dependent, self.weight[:, :-1], self.weight[:, -1]), head


class LabelScorer(nn.Module):
    """Scores of each label for an arc: d U_l h + w_l (d, h) + b_l, d and h being perceptrons of r.

    Args:
        n_input: Width of r.
        hidden: Width of the perceptrons.
        n_labels: Number of labels.
    """

    def __init__(self, n_input: int, hidden: int, n_labels: int) -> None:
        super().__init__()
        self.n_labels = n_labels
        self.of_dependent, self.of_head = nn.Linear(n_input, hidden), nn.Linear(n_input, hidden)
        self.weight = nn.Parameter(torch.zeros(n_labels * (hidden + 1), hidden))
        self.of_label_and_head = nn.Linear(hidden, n_labels)
        glorot_layers_(self.of_dependent, self.of_head, self.of_label_and_head)

    def forward(
        self, contextual: Tensor, dependents: Tensor, heads: Tensor, rate: float = 0.0
    ) -> Tensor:
        """Score all labels for M arcs.

        Args:
            contextual: (P, n_input) r.
            dependents: (M,) rows of ``contextual``.
            heads: (M,) rows of ``contextual``.
            rate: Dropout in the perceptrons.

        Returns:
            (M, n_labels).
        """
        d = perceptron(self.of_dependent, contextual, rate).index_select(0, dependents)
        h = perceptron(self.of_head, contextual, rate).index_select(0, heads)
        pairs = bilinear_forms(d, h, self.weight)
        return pairs + linear(h, self.of_label_and_head.weight, self.of_label_and_head.bias)
