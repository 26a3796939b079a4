"""Labels of arcs: a biaffine classifier over head and dependent (Dozat & Manning 2017, §2)."""

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..kernels.bilinear import bilinear_forms
from ..kernels.packed_linear import project
from ..layers.initialization import glorot_uniform_


class LabelScorer(nn.Module):
    """Scores of each label for an arc: d U_l h + w_l (d, h) + b_l, d and h being perceptrons of r.

    Args:
        n_input: Width of r.
        hidden: Width of the perceptrons.
        n_labels: Number of labels.

    Attributes:
        reads_bfloat16: Whether heads and dependents are mapped, and in parsing labels scored, in
            bfloat16 on a CPU that has instructions for it.
    """

    reads_bfloat16 = False

    def __init__(self, n_input: int, hidden: int, n_labels: int) -> None:
        super().__init__()
        self.n_labels = n_labels
        self.of_dependent, self.of_head = nn.Linear(n_input, hidden), nn.Linear(n_input, hidden)
        self.weight = nn.Parameter(torch.zeros(n_labels * (hidden + 1), hidden))
        self.of_label_and_head = nn.Linear(hidden, n_labels)
        for layer in (self.of_dependent, self.of_head, self.of_label_and_head):
            glorot_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

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
        hidden = (
            project(contextual, layer.weight, layer.bias, self.reads_bfloat16).relu()
            for layer in (self.of_dependent, self.of_head)
        )
        d, h = (dropout(x, rate, training=rate > 0) for x in hidden)
        d, h = d.index_select(0, dependents), h.index_select(0, heads)
        pairs = bilinear_forms(d, h, self.weight, self.reads_bfloat16)
        return pairs + project(h, self.of_label_and_head.weight, self.of_label_and_head.bias)
