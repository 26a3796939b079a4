"""Transition-based dependency parsing ("RNN-Based Sequence-Preserved Attention for Dependency
Parsing"): arc-standard actions, chosen greedily, from what is known of four words.

phi(c) = r_s3, r_s2, r_s1, r_b1 side by side (Eq. 4), then one hidden layer (Eq. 5). ROOT lies at
the bottom of the stack (Table 1); the moves that touch it are forced and not enumerated (see
``transitions.dependency.arc_standard``). Actions have the labels of their arcs, which the
paper does not model.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout

from ...transitions.dependency.arc_standard import LEFT, SHIFT, ActionSet, Derivation, still_running
from ..kernels.packed_linear import packed_linear, project
from ..layers.deterministic_attention import DeterministicAttention
from ..layers.initialization import glorot_uniform_
from ..layers.marginal_loss import marginal_loss
from .second_pass import TwiceReader

N_READ = 4  # s3, s2, s1, b1


@dataclass(frozen=True)
class ForcedMoves:
    """Sentences whose actions are known, and their T = sum(2n - 1) states.

    n_words: (B,) words of each sentence, longest first. positions: (T, 4) s3, s2, s1 and b1 of each
    state, as positions in the sentence, of which ROOT is 0; -1 where there is none. legal: (T,)
    SHIFT possible + 2 * reduction possible. targets: (T,) the right action. partial: (P,) the
    states where several are right, and allowed: (P, n_actions) which. sentence: (T,) of each state.
    """

    n_words: np.ndarray
    positions: Tensor
    legal: Tensor
    targets: Tensor
    partial: Tensor
    allowed: Tensor
    sentence: Tensor

    def to(self, device: torch.device) -> "ForcedMoves":
        """The same on another device."""
        moved: dict[str, Any] = {
            name: value.to(device) if isinstance(value, Tensor) else value
            for name, value in self.__dict__.items()
        }
        return ForcedMoves(**moved)


def collate(
    derivations: Sequence[Derivation],
    actions: Sequence[np.ndarray],
    action_set: ActionSet,
    allowed: Sequence[np.ndarray | None],
) -> ForcedMoves:
    """Build the batch. derivations: longest sentence first; actions: (2n - 1,) for each; allowed:
    (2n - 1, n_actions) where some states have several right actions, else None."""
    n_words = np.array([d.n_words for d in derivations])
    first = np.cumsum(2 * n_words - 1) - (2 * n_words - 1)
    rows, which = [], []
    for start, right in zip(first.tolist(), allowed, strict=True):
        if right is not None:
            several = np.flatnonzero(right.sum(1) > 1)
            rows.append(start + several)
            which.append(right[several])
    height = [2 * d.buffer - np.arange(len(d.moves)) for d in derivations]
    legal = [
        (d.buffer < d.n_words) + 2 * (h >= 2) for d, h in zip(derivations, height, strict=True)
    ]
    none = np.zeros((0, len(action_set)), dtype=bool)
    sentence = np.repeat(np.arange(len(n_words)), 2 * n_words - 1)
    return ForcedMoves(
        n_words,
        torch.from_numpy(np.concatenate([positions_read(d) for d in derivations])),
        torch.from_numpy(np.concatenate(legal)),
        torch.from_numpy(np.concatenate(list(actions))),
        torch.from_numpy(np.concatenate([np.zeros(0, dtype=np.int64), *rows])),
        torch.from_numpy(np.concatenate([none, *which])),
        torch.from_numpy(sentence),
    )


def positions_read(derivation: Derivation) -> np.ndarray:
    """s3, s2, s1 and b1 before every move: (2n - 1, 4) positions, ROOT's being 0, -1 for none."""
    # The pushes that the three topmost elements were made by; one of -1 is ROOT, -2 is nothing.
    below = np.append(derivation.parents, [-2, -2])
    first = np.arange(len(derivation.moves)) - 1
    second = below[first]
    pushes = np.stack([below[second], second, first], 1)
    words = np.append(derivation.heads_at + 1, [-1, 0])  # at -2 and -1
    buffer = np.where(derivation.buffer < derivation.n_words, derivation.buffer + 1, -1)
    return np.concatenate([words[pushes], buffer[:, None]], 1)


class TransitionParser(nn.Module):
    """A scorer of arc-standard actions.

    ``dropout`` is set by training: see :class:`TwiceReader`, and with ``everywhere`` on the hidden
    layer.

    Args:
        n_input: Width of the token vectors.
        action_set: The actions.
        hidden_width: Width of the hidden layer.
        reading: Settings of :class:`TwiceReader`.
    """

    penalties: Tensor

    def __init__(
        self, n_input: int, action_set: ActionSet, *, hidden_width: int, **reading: Any
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.action_set = action_set
        self.reader = TwiceReader(n_input, **reading)
        # W_t1 phi(c) is a sum of four maps, each known for every word before parsing begins.
        self.hidden = DeterministicAttention(self.reader.width, N_READ, hidden_width)
        self.bias = nn.Parameter(torch.zeros(hidden_width))
        self.output = nn.Linear(hidden_width, len(action_set))
        glorot_uniform_(self.output.weight)
        nn.init.zeros_(self.output.bias)
        penalties = torch.from_numpy(action_set.penalties())
        self.register_buffer("penalties", penalties, persistent=False)

    def forced_scores(self, tokens: Tensor, batch: ForcedMoves) -> Tensor:
        """The scores of all actions in every gold state, illegal ones at -1e9: (T, n_actions)."""
        rate = self.dropout if self.training else 0.0
        r = self.reader(tokens, batch.n_words, rate)
        starts = _starts(batch.n_words).to(r.device).index_select(0, batch.sentence)
        rows = self.hidden.rows(starts, len(r)).of(batch.positions)
        hidden = (self.hidden(self.hidden.keys(r), rows) + self.bias).relu()
        hidden = dropout(hidden, self.reader.rate_behind(rate))
        scores = project(hidden, self.output.weight, self.output.bias)
        return scores + self.penalties.index_select(0, batch.legal)

    def loss(self, tokens: Tensor, batch: ForcedMoves) -> Tensor:
        """The negative log-likelihood of each sentence's actions (Eq. 7, summed): (B,). Where
        several are right, their joint probability counts."""
        scores = self.forced_scores(tokens, batch)
        losses = cross_entropy(scores, batch.targets, reduction="none")
        losses = marginal_loss(losses, scores, batch.partial, batch.allowed)
        return losses.new_zeros(len(batch.n_words)).index_add(0, batch.sentence, losses)

    def parse(self, tokens: Tensor, n_words: np.ndarray) -> Tensor:
        """The best action in each state, greedily: (2 * longest - 1, B), -1 after a sentence's
        end."""
        r = self.reader(tokens, n_words, 0.0)
        device = r.device
        keys = self.hidden.keys(r)
        rows = self.hidden.rows(_starts(n_words).to(device), len(r))
        output = packed_linear(self.output.weight, self.output.bias)
        move_of = torch.from_numpy(self.action_set.move_of).to(device)
        active = still_running(2 * n_words - 1)
        n = torch.from_numpy(n_words).to(device)
        # Two places with nothing, ROOT, and the words on the stack, of which there are ``height``.
        stack = torch.full((len(n_words), int(n_words[0]) + 3), -1, device=device)
        stack[:, 2] = 0
        height, buffer = torch.zeros_like(n), torch.zeros_like(n)
        three = torch.arange(3, device=device)
        actions = torch.full((len(active), len(n_words)), -1, device=device)
        for step, m in enumerate(active.tolist()):
            stack, height, buffer, n = stack[:m], height[:m], buffer[:m], n[:m]
            of_stack = stack.gather(1, height[:, None] + three)
            can_shift = buffer < n
            first = torch.where(can_shift, buffer + 1, -1)
            rows = rows.prefix(m)
            read = rows.of(torch.cat([of_stack, first[:, None]], 1))
            scores = output((self.hidden(keys, read) + self.bias).relu_())
            legal = can_shift + 2 * (height >= 2)
            chosen = (scores + self.penalties.index_select(0, legal)).argmax(1)
            actions[step, :m] = chosen
            move = move_of.index_select(0, chosen)
            shift = move == SHIFT
            head = torch.where(move == LEFT, of_stack[:, 2], of_stack[:, 1])
            height = height + torch.where(shift, 1, -1)
            pushed = torch.where(shift, first, head)
            stack = stack.scatter(1, height[:, None] + 2, pushed[:, None])
            buffer = buffer + shift
        return actions

    def forward(self, tokens: Tensor, content: ForcedMoves | np.ndarray) -> Tensor:
        """The losses of sentences whose actions are given, (B,); the actions found for those
        without, (2 * longest - 1, B).

        tokens: (N, n_input), the sentences end to end, longest first; content: their gold actions,
        or (B,) how many words each has."""
        if isinstance(content, ForcedMoves):
            return self.loss(tokens, content)
        return self.parse(tokens, content)


def _starts(n_words: np.ndarray) -> Tensor:
    """Where each sentence's positions, ROOT first, begin: (B,)."""
    return torch.from_numpy(np.cumsum(n_words + 1) - n_words - 1)
