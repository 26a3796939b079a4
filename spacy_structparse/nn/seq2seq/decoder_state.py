"""The state of a model in decoding: the sentences it has read, and its decoder's hypotheses."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from ...transitions.constituency.interface import State
from ..layers.attention import DeterministicAttention, ProbabilisticAttention
from ..layers.encoder import Encoded
from .decode_step import decode_step
from .model import Seq2Seq


def mask_illegal(scores: Sequence[Tensor], state: State) -> None:
    """Set the scores of illegal actions to -inf, in place.

    Where words have actions of their own, training spreads over them the probability of reading on,
    and the next word alone says which one is legal: that one gets the sum of all. With its own
    share, reading on would lose to brackets whenever the decoder guesses another word.

    Args:
        scores: (M, n_actions) of each member of an ensemble.
        state: The M states.
    """
    words, illegal = state.word_actions, state.legal_mask().logical_not_()
    for of_member in scores:
        if words is not None:
            of_member[:, words] = of_member[:, words].logsumexp(1, keepdim=True)
        of_member.masked_fill_(illegal, -torch.inf)


class DecoderState:
    """The hypotheses of B sentences, ``width`` of each, side by side.

    Args:
        model: The model.
        encoded: The sentences, longest first.
        width: Hypotheses of each sentence.

    Attributes:
        shares: (B * width, longest + 1) shares of the positions in the last step, where attention
            is probabilistic.
        positions: (B * width, |D|) the positions that it read, where attention is deterministic.
        of_context: (B * width, n_gates + n) what the context of these positions adds to both maps.
    """

    def __init__(self, model: Seq2Seq, encoded: Encoded, width: int) -> None:
        self.attention = model.attention
        self.attend_before_step = model.attend_before_step
        self.top_of = model.decoder.parts
        self.state = model.initial_state(encoded).repeat_interleave(width, 0)
        self.shares: Tensor | None = None
        self.positions: Tensor | None = None
        self.context: Tensor | None = None
        self.memories = model.memories(encoded)
        if self.memories:
            self.context = self.state.new_zeros(len(self.state), model.n_attended)
        n_steps = model.linearization.max_steps(int(encoded.lengths[0]) - 1)
        self.equations = decode_step(model, len(self.state) * n_steps)
        self.of_context: Tensor | None = None
        if isinstance(self.attention, DeterministicAttention):
            assert self.equations.map_context is not None
            self.map_context = self.equations.map_context
            self.keys = self.attention.keys(encoded.positions)
            first = self.attention.first_keys(encoded.lengths)
            self.first_keys: Tensor = first.repeat_interleave(width, 0)

    def step(self, previous: Tensor, boundaries: Tensor | None) -> Tensor:
        """The scores of the next action.

        Args:
            previous: (M,) the action before; the number of actions at the start.
            boundaries: (M, 5) the boundaries on the parser's stack, for deterministic attention;
                None where they are those of the step before.

        Returns:
            (M, n_actions).
        """
        parts = self.equations.action_part(previous)
        if isinstance(self.attention, DeterministicAttention):
            if boundaries is not None:
                if self.attention.n_positions > boundaries.shape[1]:
                    boundaries = with_heads(boundaries, rightmost_heads(boundaries))
                self.positions = boundaries
                context = self.attention(self.keys, boundaries, self.first_keys)
                self.of_context = self.map_context(context)
            assert self.of_context is not None
            parts += self.of_context
        if self.memories and self.attend_before_step:
            self.context = self._attend(self.top_of(self.state)[-1][0])
        before = [] if self.context is None else [self.context]
        s, self.state = self.equations.state(before, self.state, parts)
        if self.memories and not self.attend_before_step:
            self.context = self._attend(s)
        after = [] if self.context is None else [self.context]
        return self.equations.action_scores([s, *after], parts)

    def _attend(self, s: Tensor) -> Tensor:
        """The contexts that a state of the decoder finds, side by side: (M, n_attended)."""
        attended = [attention(memory, s) for attention, memory in self.memories]
        if isinstance(self.attention, ProbabilisticAttention):
            self.shares = attended[0][1]
        contexts = [context for context, _ in attended]
        return torch.cat(contexts, 1) if len(contexts) > 1 else contexts[0]

    def attended(self, n_positions: int) -> Tensor:
        """The attention of the last step.

        Returns:
            (M, n_positions) the shares of probabilistic attention; 1/k for each of k positions of
            deterministic attention (several that are the same add up, positions that do not exist
            are left out); zeros without attention.
        """
        none = self.state.new_zeros(len(self.state), n_positions, dtype=torch.float)
        if self.positions is not None:
            exists = (self.positions >= 0).float()
            weights = exists / exists.sum(1, keepdim=True).clamp(min=1.0)
            return none.scatter_add(1, self.positions.clamp(min=0), weights)
        if self.shares is not None:
            none[:, : self.shares.shape[1]] = self.shares
        return none

    def select(self, rows: Tensor) -> None:
        """Continue other hypotheses. rows: (M,), those of each sentence in its own place."""
        for name in ("state", "context", "positions", "of_context"):
            of_rows = getattr(self, name)
            if of_rows is not None:
                setattr(self, name, of_rows.index_select(0, rows))

    def keep(self, rows: Tensor, sentences: np.ndarray) -> None:
        """Continue some of the sentences.

        Args:
            rows: Their hypotheses.
            sentences: (B',) in ascending order.
        """
        self.select(rows)
        self.memories = [
            (attention, memory.select(sentences)) for attention, memory in self.memories
        ]
        if isinstance(self.attention, DeterministicAttention):
            self.first_keys = self.first_keys.index_select(0, rows)
