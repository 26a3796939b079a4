"""Transition-based dependency parsing ("RNN-Based Sequence-Preserved Attention for Dependency
Parsing").

A classifier chooses arc-standard actions. It reads phi(c), the encodings of four words (Eq. 4), and
has one hidden layer (Eq. 5). ROOT lies at the bottom of the stack (Table 1); the moves that touch
it are forced and not enumerated, see :mod:`spacy_structparse.transitions.dependency.arc_standard`.
Actions have the labels of their arcs, which the paper does not model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from ...transitions.dependency.arc_standard import LEFT, SHIFT, ActionSet, Derivation, still_running
from ..fast.device import range_like, to_device
from ..fast.linear import linear, packed_function
from ..layers.arc_search import ArcStandardSearch
from ..layers.attention import DeterministicAttention
from ..layers.beam import Beam
from ..layers.training import ambiguous_states, glorot_layers_, marginal_loss
from .second_pass import TwoPassEncoder

N_READ = 4  # s3, s2, s1, b1


@dataclass(frozen=True)
class MoveBatch:
    """B sentences, longest first, with the T = sum(2n - 1) states of their gold derivations.

    Attributes:
        n_words: (B,) words of each sentence.
        positions: (T, 4) s3, s2, s1 and b1 of each state, as positions in the sentence. ROOT is
            position 0; -1: there is none.
        legal: (T,) SHIFT possible + 2 * reduction possible.
        targets: (T,) the right action.
        partial: (P,) the states in which several actions are right.
        allowed: (P, n_actions) which these are.
        sentence: (T,) the sentence of each state.
    """

    n_words: np.ndarray
    positions: Tensor
    legal: Tensor
    targets: Tensor
    partial: Tensor
    allowed: Tensor
    sentence: Tensor

    @classmethod
    def from_derivations(
        cls,
        derivations: Sequence[Derivation],
        actions: Sequence[np.ndarray],
        action_set: ActionSet,
        allowed: Sequence[np.ndarray | None],
    ) -> "MoveBatch":
        """Build the batch.

        Args:
            derivations: Longest sentence first.
            actions: (2n - 1,) gold actions of each sentence.
            action_set: The actions.
            allowed: (2n - 1, n_actions) bool for a sentence where some states have several right
                actions, None for the others.
        """
        n_words = np.array([d.n_words for d in derivations])
        first = np.cumsum(2 * n_words - 1) - (2 * n_words - 1)
        partial, right = ambiguous_states(allowed, first, len(action_set))
        positions = np.concatenate([positions_read(d) for d in derivations])
        # A word can be pushed if there is one, and two words on the stack can be reduced.
        legal = (positions[:, 3] >= 0) + 2 * (positions[:, 1] > 0)
        sentence = np.repeat(np.arange(len(n_words)), 2 * n_words - 1)
        return cls(
            n_words,
            torch.from_numpy(positions),
            torch.from_numpy(legal),
            torch.from_numpy(np.concatenate(list(actions))),
            partial,
            right,
            torch.from_numpy(sentence),
        )


def positions_read(derivation: Derivation) -> np.ndarray:
    """Positions of s3, s2, s1 and b1 before every move: (2n - 1, 4); ROOT is 0, -1: none."""
    # The pushes that the three topmost elements were made by; one of -1 is ROOT, -2 is nothing.
    below = np.append(derivation.parents, [-2, -2])
    first = np.arange(len(derivation.moves)) - 1
    second = below[first]
    pushes = np.stack([below[second], second, first], 1)
    words = np.append(derivation.heads_at + 1, [-1, 0])  # at -2 and -1
    buffer = np.where(derivation.buffer < derivation.n_words, derivation.buffer + 1, -1)
    return np.concatenate([words[pushes], buffer[:, None]], 1)


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

    illegal: Tensor

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
        glorot_layers_(self.output)
        self.register_buffer("illegal", torch.from_numpy(action_set.illegal()), persistent=False)

    def hidden_layer(self, keys: Tensor, positions: Tensor, first: Tensor) -> Tensor:
        """Compute max(0, W_t1 phi(c) + b_t1) (Eqs. 4 and 5).

        Args:
            keys: The four parts of W_t1 applied to every r, ``self.hidden.keys(r)``.
            positions: (T, 4) s3, s2, s1 and b1 of each state.
            first: (T, 4) the keys of its sentence's first position, ROOT.

        Returns:
            (T, hidden_width).
        """
        return (self.hidden(keys, positions, first) + self.bias).relu_()

    def action_scores(self, tokens: Tensor, batch: MoveBatch) -> Tensor:
        """Compute y (Eq. 5) in every gold state.

        Returns:
            (T, n_actions), illegal actions at -inf.
        """
        rate = self.dropout if self.training else 0.0
        contextual = self.reader(tokens, batch.n_words, rate)
        first = self.hidden.first_keys(batch.n_words + 1).index_select(0, batch.sentence)
        keys = self.hidden.keys(contextual, linear)
        hidden = self.hidden_layer(keys, batch.positions, first)
        hidden = dropout(hidden, self.reader.hidden_dropout(rate))
        scores = linear(hidden, self.output.weight, self.output.bias)
        return scores.masked_fill(self.illegal.index_select(0, batch.legal), -torch.inf)

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


class TransitionSearch(ArcStandardSearch):
    """The search of the transition-based parser."""

    parser: TransitionParser
    _keys: Tensor | None = None

    def run(self, beam: Beam) -> Beam:
        parser, n_words, k = self.parser, self.n_words, beam.width
        if self._keys is None:  # the four parts of W_t1 applied to every r, for all runs
            self._keys = parser.hidden.keys(parser.reader(self.tokens, n_words), linear)
        keys, first_keys = self._keys, parser.hidden.first_keys(n_words + 1)
        first_keys = first_keys.repeat_interleave(k, 0)
        output = packed_function(parser.output.weight, parser.output.bias)
        move_of = to_device(parser.action_set.move_of, keys)
        n = to_device(n_words, keys).repeat_interleave(k)
        # Two places with nothing, ROOT, and the words on the stack, of which there are ``height``.
        stack = n.new_full((len(n), int(n_words[0]) + 3), -1)
        stack[:, 2] = 0
        height, buffer = torch.zeros_like(n), torch.zeros_like(n)
        three = range_like(n, 3)
        for m in (still_running(self.n_moves) * k).tolist():
            stack, height, buffer, n = stack[:m], height[:m], buffer[:m], n[:m]
            of_stack = stack.gather(1, height[:, None] + three)
            can_shift = buffer < n
            first = torch.where(can_shift, buffer + 1, -1)
            positions = torch.cat([of_stack, first[:, None]], 1)
            scores = output(parser.hidden_layer(keys, positions, first_keys[:m]))
            legal = can_shift + 2 * (height >= 2)
            scores.masked_fill_(parser.illegal.index_select(0, legal), -torch.inf)
            chosen, parents = beam.choose(scores)
            if parents is not None:
                stack, height, buffer = stack[parents], height[parents], buffer[parents]
                of_stack, first = of_stack[parents], first[parents]
            move = move_of.index_select(0, chosen)
            shift = move == SHIFT
            head = torch.where(move == LEFT, of_stack[:, 2], of_stack[:, 1])
            height = height + torch.where(shift, 1, -1)
            pushed = torch.where(shift, first, head)
            stack = stack.scatter(1, height[:, None] + 2, pushed[:, None])
            buffer = buffer + shift
        return beam
