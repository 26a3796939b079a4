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

from ...constraints import ConstrainedRows
from ...transitions.dependency.arc_standard import LEFT, SHIFT, ActionSet, still_running
from ..fast.device import uploaded
from ..fast.linear import linear, packed_linear
from ..layers.attention import DeterministicAttention, KeyRows
from ..layers.beam import Steps, best_hypotheses, first_hypotheses
from ..layers.training import glorot_uniform_, marginal_loss
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
        hidden = self.hidden_layer(self.hidden.keys(contextual, linear), rows)
        rate = self.reader.hidden_dropout(self.dropout) if self.training else 0.0
        hidden = dropout(hidden, rate)
        scores = linear(hidden, self.output.weight, self.output.bias)
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


def search(
    parser: TransitionParser,
    tokens: Tensor,
    n_words: np.ndarray,
    beam_width: int = 1,
    constraints: ConstrainedRows | None = None,
    keep_scores: bool = False,
) -> Steps:
    """Search for the best legal actions.

    Args:
        parser: The parser.
        tokens: (N, n_input) sentences end to end, longest first.
        n_words: (B,) words of each sentence.
        beam_width: Hypotheses kept; 1 is greedy.
        constraints: Of ``beam_width`` rows for each sentence.
        keep_scores: Keep the scores of all actions at every step.
    """
    k = beam_width
    keys = parser.hidden.keys(parser.contextual(tokens, n_words), linear)
    device = keys.device
    of_hypotheses = torch.arange(len(n_words), device=device).repeat_interleave(k)
    rows = parser.key_rows(n_words, device)
    if k > 1:
        rows = rows.select(of_hypotheses)
    output = packed_linear(parser.output.weight, parser.output.bias)
    move_of = uploaded(parser.action_set.move_of, device)
    illegal = parser.penalties < 0
    n = uploaded(n_words, device).index_select(0, of_hypotheses)
    # Two places with nothing, ROOT, and the words on the stack, of which there are ``height``.
    stack = torch.full((len(n), int(n_words[0]) + 3), -1, device=device)
    stack[:, 2] = 0
    height, buffer = torch.zeros_like(n), torch.zeros_like(n)
    three = torch.arange(3, device=device)
    total = first_hypotheses(len(n_words), k, device) if k > 1 else None
    steps = Steps()
    for n_active in still_running(2 * n_words - 1).tolist():
        m = n_active * k
        stack, height, buffer, n = stack[:m], height[:m], buffer[:m], n[:m]
        of_stack = stack.gather(1, height[:, None] + three)
        can_shift = buffer < n
        first = torch.where(can_shift, buffer + 1, -1)
        rows = rows.prefix(m)
        positions = torch.cat([of_stack, first[:, None]], 1)
        scores = output(parser.hidden_layer(keys, rows.of(positions)))
        legal = can_shift + 2 * (height >= 2)
        scores.masked_fill_(illegal.index_select(0, legal), -torch.inf)
        if keep_scores:
            # What is known is no part of how sure the parser is.
            steps.scores.append(scores if constraints is None else scores.clone())
        if constraints is not None:
            constraints.mask(scores)
        parent = None
        if total is None:
            chosen = scores.argmax(1)
        else:
            log_p = scores.log_softmax(1).view(n_active, k, -1)
            total, parent, chosen = best_hypotheses(total[:n_active, :, None] + log_p)
            steps.totals.append(total)
            stack, height, buffer = stack[parent], height[parent], buffer[parent]
            of_stack, first = of_stack[parent], first[parent]
        steps.actions.append(chosen)
        steps.parents.append(parent)
        if constraints is not None:
            constraints.apply(chosen, parent)
        move = move_of.index_select(0, chosen)
        shift = move == SHIFT
        head = torch.where(move == LEFT, of_stack[:, 2], of_stack[:, 1])
        height = height + torch.where(shift, 1, -1)
        pushed = torch.where(shift, first, head)
        stack = stack.scatter(1, height[:, None] + 2, pushed[:, None])
        buffer = buffer + shift
    return steps
