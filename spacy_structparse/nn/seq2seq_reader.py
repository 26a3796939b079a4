"""One parser of an ensemble while it decodes: the sentences it has read and its decoder's state."""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ..transitions.bottom_up_heads import rightmost_heads
from .attention import DeterministicAttention, ProbabilisticAttention
from .head_choice import HeadTracker
from .packed_linear import packed_linear

if TYPE_CHECKING:
    from .seq2seq import Seq2Seq


class SentenceReader:
    """The hypotheses of B sentences, ``width`` of each, side by side.

    tokens: (N, n_input), sentences end to end, longest first; n_words: (B,) words of each.
    shares: what the last step attended to, (B * width, longest + 1), where attention is
    probabilistic; rows: the positions it read, (B * width, |D|), where it is deterministic.
    """

    def __init__(self, model: "Seq2Seq", tokens: Tensor, n_words: np.ndarray, width: int) -> None:
        self.attention = model.attention
        encoded = model.encode(tokens, n_words)
        self.state = model.first_state(encoded).repeat_interleave(width, 0)
        self.actions = model.actions.weight
        self.decode = model.decoder.stepper()
        self.read_out = None
        if model.readout is not None:
            self.read_out = packed_linear(model.readout.weight, model.readout.bias)
        self.output = packed_linear(model.output.weight, model.output.bias)
        self.shares: Tensor | None = None
        self.positions: Tensor | None = None
        device = tokens.device
        if isinstance(self.attention, ProbabilisticAttention):
            self.memory = self.attention.memory(encoded)
            self.context = self.state.new_zeros(len(self.state), self.attention.width)
        elif self.attention is not None:
            self.keys = self.attention.keys(encoded.positions)
            n, k = len(encoded.positions), self.attention.n_positions
            slots = torch.arange(k, device=device)
            starts = torch.from_numpy(encoded.starts).to(device).repeat_interleave(width)
            self.starts = starts[:, None] * k + slots
            self.padding = n * k + slots
        self.tracker: HeadTracker | None = None
        if model.head_choice is not None:
            starts = torch.from_numpy(encoded.starts).to(device).repeat_interleave(width)
            scores = model.head_choice(encoded.positions)
            self.tracker = HeadTracker(scores, starts, int(n_words.max()))

    def step(self, previous: Tensor, boundaries: Tensor | None) -> Tensor:
        """The scores of the next action. previous: (M,) the action before, the number of actions
        at the start; boundaries: (M, 5) what deterministic attention needs to know of the parser's
        stack. Returns (M, n_actions)."""
        before = self.actions.index_select(0, previous)
        if isinstance(self.attention, ProbabilisticAttention):
            h, self.state = self.decode([before, self.context], self.state)
            self.context, self.shares = self.attention(self.memory, h)
            read = [h, self.context]
        elif isinstance(self.attention, DeterministicAttention):
            if boundaries is None:
                raise ValueError("deterministic attention needs the boundaries of each state")
            if self.attention.n_positions > boundaries.shape[1]:
                if self.tracker is None:
                    heads = rightmost_heads(boundaries)
                else:
                    heads = self.tracker.step(previous, boundaries)
                boundaries = with_heads(boundaries, heads)
            self.positions = boundaries
            rows = boundaries * len(self.padding) + self.starts
            rows = torch.where(boundaries < 0, self.padding, rows)
            context = self.attention(self.keys, rows)
            h, self.state = self.decode([before, context], self.state)
            read = [h, context]
        else:
            h, self.state = self.decode([before], self.state)
            read = [h]
        if self.read_out is not None:
            read = [self.read_out(*read, before).tanh_()]
        return self.output(*read)

    def select(self, rows: Tensor) -> None:
        """Go on with other hypotheses of the same sentences. rows: (M,), those of each sentence
        in its own place."""
        self.state = self.state.index_select(0, rows)
        if isinstance(self.attention, ProbabilisticAttention):
            self.context = self.context.index_select(0, rows)
        if self.tracker is not None:
            self.tracker.select(rows)

    def keep(self, rows: Tensor, sentences: np.ndarray) -> None:
        """Go on with some of the sentences. sentences: (B',) in ascending order; rows: their
        hypotheses."""
        self.select(rows)
        if isinstance(self.attention, ProbabilisticAttention):
            self.memory = self.memory.select(sentences)
        elif self.attention is not None:
            self.starts = self.starts.index_select(0, rows)


def with_heads(boundaries: Tensor, heads: Tensor) -> Tensor:
    """(0, r, s, t, h_rs, h_st, T) from (0, r, s, t, T) and (h_rs, h_st): (…, 7)."""
    return torch.cat([boundaries[..., :4], heads, boundaries[..., 4:]], -1)
