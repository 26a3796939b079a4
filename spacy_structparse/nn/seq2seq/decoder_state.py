"""One parser of an ensemble while it decodes: the sentences it has read and its decoder's state."""

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from ..kernels.packed_linear import packed_linear, project
from ..layers.additive_attention import ProbabilisticAttention
from ..layers.deterministic_attention import DeterministicAttention
from .head_choice import HeadTracker
from .model import Seq2Seq

# Hypotheses of a sentence for which a table of what every position adds to a step pays.
WORTH_A_TABLE = 4


class DecoderState:
    """The hypotheses of B sentences, ``width`` of each, side by side.

    tokens: (N, n_input), sentences end to end, longest first; n_words: (B,) words of each.
    shares: what the last step attended to, (B * width, longest + 1), where attention is
    probabilistic; positions: those it read, (B * width, |D|), where it is deterministic.
    """

    def __init__(self, model: Seq2Seq, tokens: Tensor, n_words: np.ndarray, width: int) -> None:
        self.attention = model.attention
        self.attend_before_step = model.attend_before_step
        self.top_of = model.decoder.parts
        encoded = model.encode(tokens, n_words)
        self.state = model.first_state(encoded).repeat_interleave(width, 0)
        self.shares: Tensor | None = None
        self.positions: Tensor | None = None
        self.context: Tensor | None = None
        self.tracker: HeadTracker | None = None
        deterministic = isinstance(self.attention, DeterministicAttention)
        self.looked_up = deterministic and width >= WORTH_A_TABLE
        self.memories = model.memories(encoded)
        # The decoder reads the action, a deterministic context, and contexts of the step before;
        # the map that reads its output out has the action last, and the new contexts first.
        hidden = model.decoder.hidden
        n_action, n_input = model.actions.embedding_dim, model.decoder.n_input
        n_stepped = sum(attention.width for attention, _ in self.memories)
        n_known = n_input - n_stepped if self.looked_up else n_action
        self.decode = model.decoder.decode_step(n_known)
        # What an action adds to the gates of the decoder, and to the map that reads its output out,
        # is known before the first step; what a deterministic context adds, too.
        gates, gates_bias = model.decoder.input_map(n_input)
        last = model.readout or model.output
        n_read = hidden + n_input - n_action
        of_action = last.weight[:, n_read:]
        if not of_action.shape[1]:  # the output itself, which does not read the action
            of_action = last.weight.new_zeros(len(last.weight), n_action)
        both = torch.cat([gates[:, :n_action], of_action])
        bias = torch.cat([gates_bias, last.bias])
        self.embeddings = model.actions.weight
        n_steps = model.linearization.max_steps(int(n_words[0]))
        if len(self.embeddings) <= len(self.state) * n_steps:
            self.embeddings, self.of_embedding = project(self.embeddings, both, bias), None
        else:  # most words of a large vocabulary never come
            self.of_embedding = packed_linear(both, bias)
        self.n_gates = len(gates)
        n_mapped = hidden + n_stepped if self.looked_up else n_read
        self.read_out = packed_linear(
            last.weight[:, :n_mapped], last.weight.new_zeros(len(last.weight))
        )
        self.output = None
        if model.readout is not None:
            self.output = packed_linear(model.output.weight, model.output.bias)
        starts = torch.from_numpy(encoded.starts).to(tokens.device).repeat_interleave(width)
        if self.memories:
            self.context = self.state.new_zeros(len(self.state), n_stepped)
        if isinstance(self.attention, DeterministicAttention):
            of_context = torch.cat(
                [
                    gates[:, n_action : n_input - n_stepped],
                    last.weight[:, hidden + n_stepped : n_read],
                ]
            )
            self.keys = self.attention.keys(
                encoded.positions, of_context if self.looked_up else None
            )
            self.rows = self.attention.rows(starts, len(encoded.positions))
        if model.head_choice is not None:
            scores = model.head_choice(encoded.positions)
            self.tracker = HeadTracker(scores, starts, int(n_words.max()))

    def step(self, previous: Tensor, boundaries: Tensor | None) -> Tensor:
        """The scores of the next action. previous: (M,) the action before, the number of actions
        at the start; boundaries: (M, 5) what deterministic attention needs to know of the parser's
        stack. Returns (M, n_actions)."""
        known = self.embeddings.index_select(0, previous)
        if self.of_embedding is not None:
            known = self.of_embedding(known)
        inputs = []
        if isinstance(self.attention, DeterministicAttention):
            read = self.attention(self.keys, self.rows.of(self._read(previous, boundaries)))
            if self.looked_up:
                known += read
            else:
                inputs.append(read)
        if self.memories and self.attend_before_step:
            self.context = self._attend(self.top_of(self.state)[-1][0])
        before = [] if self.context is None else [self.context]
        h, self.state = self.decode([*inputs, *before], self.state, known[:, : self.n_gates])
        if self.memories and not self.attend_before_step:
            self.context = self._attend(h)
        if self.context is not None:
            inputs.insert(0, self.context)
        scores = self.read_out(h, *inputs) + known[:, self.n_gates :]
        return scores if self.output is None else self.output(scores.tanh_())

    def _attend(self, h: Tensor) -> Tensor:
        """The contexts of a decoder's output, side by side: (M, …)."""
        found = [attention(memory, h) for attention, memory in self.memories]
        if isinstance(self.attention, ProbabilisticAttention):
            self.shares = found[0][1]
        contexts = [context for context, _ in found]
        return torch.cat(contexts, 1) if len(contexts) > 1 else contexts[0]

    def _read(self, previous: Tensor, boundaries: Tensor | None) -> Tensor:
        """D: (M, |D|) the positions to read."""
        if boundaries is None:
            raise ValueError("deterministic attention needs the boundaries of each state")
        if len(self.rows.padding) > boundaries.shape[1]:
            if self.tracker is None:
                heads = rightmost_heads(boundaries)
            else:
                heads = self.tracker.step(previous, boundaries)
            boundaries = with_heads(boundaries, heads)
        self.positions = boundaries
        return boundaries

    def select(self, rows: Tensor) -> None:
        """Go on with other hypotheses of the same sentences. rows: (M,), those of each sentence
        in its own place."""
        self.state = self.state.index_select(0, rows)
        if self.context is not None:
            self.context = self.context.index_select(0, rows)
        if self.tracker is not None:
            self.tracker.select(rows)

    def keep(self, rows: Tensor, sentences: np.ndarray) -> None:
        """Go on with some of the sentences. sentences: (B',) in ascending order; rows: their
        hypotheses."""
        self.select(rows)
        self.memories = [(one, memory.select(sentences)) for one, memory in self.memories]
        if isinstance(self.attention, DeterministicAttention):
            self.rows = self.rows.select(rows)
