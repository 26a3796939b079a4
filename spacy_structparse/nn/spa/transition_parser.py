"""Transition-based dependency parsing ("RNN-Based Sequence-Preserved Attention for Dependency
Parsing").

A classifier chooses arc-standard actions. It reads phi(c), the encodings of four words (Eq. 4), and
has one hidden layer (Eq. 5). ROOT lies at the bottom of the stack (Table 1); the moves that touch
it are forced and not enumerated, see :mod:`spacy_structparse.transitions.dependency.arc_standard`.
Actions have the labels of their arcs, which the paper does not model.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from ...transitions.dependency.arc_standard import ActionSet
from ..kernels.device import uploaded
from ..kernels.packed_linear import project
from ..layers.deterministic_attention import DeterministicAttention, KeyRows
from ..layers.initialization import glorot_uniform_
from ..layers.marginal_loss import marginal_loss
from .batch import MoveBatch
from .second_pass import TwoPassEncoder

N_READ = 4  # s3, s2, s1, b1


class TransitionParser(nn.Module):
    """Scores of arc-standard actions.

    Args:
        n_input: Width of the token vectors.
        action_set: The actions.
        hidden_width: Width of the hidden layer.
        encoding: Settings of :class:`~spacy_structparse.nn.spa.second_pass.TwoPassEncoder`.

    Attributes:
        dropout: Set by training. It acts where ``dropout_places`` says; with ``everywhere`` on the
            hidden layer too.
    """

    penalties: Tensor

    def __init__(
        self, n_input: int, action_set: ActionSet, *, hidden_width: int, **encoding: Any
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.action_set = action_set
        self.reader = TwoPassEncoder(n_input, **encoding)
        # W_t1 phi(c) is a sum of four maps, each known for every word before parsing begins.
        self.hidden = DeterministicAttention(self.reader.width, N_READ, hidden_width)
        self.bias = nn.Parameter(torch.zeros(hidden_width))
        self.output = nn.Linear(hidden_width, len(action_set))
        glorot_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)
        penalties = torch.from_numpy(action_set.penalties())
        self.register_buffer("penalties", penalties, persistent=False)

    def contextual(self, tokens: Tensor, n_words: np.ndarray) -> Tensor:
        """Encode ROOT and the words of every sentence: r (Eq. 27), (N + B, width)."""
        return self.reader(tokens, n_words, self.dropout if self.training else 0.0)

    def key_rows(self, n_words: np.ndarray, device: torch.device) -> KeyRows:
        """The rows of the keys of each sentence, whose first position is ROOT."""
        starts = torch.from_numpy(np.cumsum(n_words + 1) - n_words - 1)
        return self.hidden.rows(uploaded(starts, device), int((n_words + 1).sum()))

    def hidden_layer(self, keys: Tensor, rows: Tensor) -> Tensor:
        """Compute max(0, W_t1 phi(c) + b_t1) (Eqs. 4 and 5).

        Args:
            keys: The four parts of W_t1 applied to every r, ``self.hidden.keys(r)``.
            rows: (T, 4) the rows of the keys of s3, s2, s1 and b1 in each state.

        Returns:
            (T, hidden_width).
        """
        return (self.hidden(keys, rows) + self.bias).relu_()

    def action_scores(self, tokens: Tensor, batch: MoveBatch) -> Tensor:
        """Compute y (Eq. 5) in every gold state.

        Returns:
            (T, n_actions), illegal actions at -1e9.
        """
        contextual = self.contextual(tokens, batch.n_words)
        starts = self.key_rows(batch.n_words, tokens.device).select(batch.sentence)
        rows = starts.of(batch.positions)
        hidden = self.hidden_layer(self.hidden.keys(contextual), rows)
        rate = self.reader.hidden_dropout(self.dropout) if self.training else 0.0
        hidden = dropout(hidden, rate)
        scores = project(hidden, self.output.weight, self.output.bias)
        return scores + self.penalties.index_select(0, batch.legal)

    def forward(self, tokens: Tensor, batch: MoveBatch) -> Tensor:
        """Compute the negative log-likelihood of each sentence's actions (Eq. 7, summed).

        Where several actions are right, their joint probability counts.

        Args:
            tokens: (N, n_input) sentences end to end, longest first.
            batch: The gold derivations.

        Returns:
            (B,) losses.
        """
        scores = self.action_scores(tokens, batch)
        losses = cross_entropy(scores, batch.targets, reduction="none")
        losses = marginal_loss(losses, scores, batch.partial, batch.allowed)
        return losses.new_zeros(len(batch.n_words)).index_add(0, batch.sentence, losses)
