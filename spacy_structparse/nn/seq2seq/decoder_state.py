"""The state of a model in decoding: the sentences it has read, and its decoder's hypotheses."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ...transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from ...transitions.constituency.interface import State
from ..fast.linear import Linear, fast_packed_linear, linear, packed_linear
from ..fast.weight_cache import cached
from ..layers.attention import DeterministicAttention, ProbabilisticAttention
from ..layers.encoder import Encoded
from ..layers.lstm import LSTM
from .action_decoder import ActionDecoder
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


def decoding_weights(model: ActionDecoder) -> list[Tensor]:
    """Return the weights of a :class:`DecodeStep`, and the masks of those that are pruned."""
    parts = (model.output, model.actions, model.decoder, model.readout)
    modules = [part for part in parts if part is not None]
    return [x for part in modules for x in (*part.parameters(), *part.buffers())]


def decode_step(model: ActionDecoder, n_rows: int) -> "DecodeStep":
    """Return a :class:`DecodeStep`, the one of before if the weights are the same.

    Args:
        model: The decoder.
        n_rows: Rows of all steps together.
    """
    has_table = len(model.actions.weight) <= n_rows  # most words of a large vocabulary never come
    name = DecodeStep, has_table
    return cached(name, decoding_weights(model), lambda: DecodeStep(model, has_table))


class DecodeStep:
    """f and g of an :class:`ActionDecoder` for the steps of decoding, the weights packed once.

    y_{i-1} and a deterministic context each have a part in the gates of f and a part in the first
    map of g. Both parts are computed together, and are known before a step. The products of an
    LSTM, but for the last linear map, are in the precision of the context.

    Args:
        model: The decoder.
        has_table: Whether the part of every action in both maps is computed beforehand.

    Attributes:
        context_weight: (n_gates + n, n_context) the maps of a deterministic context; None without.
    """

    def __init__(self, model: ActionDecoder, has_table: bool) -> None:
        n_action, n_input = model.actions.embedding_dim, model.decoder.n_input
        n_known = n_input - model.n_attended  # y and a deterministic context
        is_lstm = all(isinstance(layer, LSTM) for layer in model.decoder.layers)
        pack = fast_packed_linear if is_lstm else packed_linear
        self.f = model.decoder.loop_step(n_known, pack=pack)
        gates, gates_bias = model.decoder.layers[0].input_map(n_input)
        self.n_gates = len(gates)
        # f reads y, a deterministic context, other contexts; g the state, those, the former, y.
        first = model.readout or model.output
        first_bias = model.output_bias if model.readout is None else model.readout.bias
        n_stepped = model.decoder.hidden + model.n_attended
        n_read = model.decoder.hidden + n_input - n_action
        of_action = first.weight[:, n_read:]
        if not of_action.shape[1]:  # without a hidden layer g does not read y
            of_action = first.weight.new_zeros(len(first.weight), n_action)
        weight = torch.cat([gates[:, :n_action], of_action])
        bias = torch.cat([gates_bias, first_bias])
        self.actions, self.action_map = model.actions.weight.detach(), None
        if has_table:
            self.actions = linear(self.actions, weight, bias)
        else:
            self.action_map = packed_linear(weight, bias)
        self.context_weight: Tensor | None = None
        self.map_context: Linear | None = None
        if n_known > n_action:
            parts = [gates[:, n_action:n_known], first.weight[:, n_stepped:n_read]]
            self.context_weight = torch.cat(parts)
            self.map_context = pack(self.context_weight)
        # Scores themselves are not rounded.
        pack_first = packed_linear if model.readout is None else pack
        self.first_map = pack_first(first.weight[:, :n_stepped])
        self.output = None
        if model.readout is not None:
            self.output = packed_linear(model.output.weight, model.output_bias)

    @cached_property
    def action_rows(self) -> tuple[Tensor, ...]:
        """The part of each action in both maps, where there is a table: (n_gates + n,) each."""
        return self.actions.unbind()

    def action_part(self, previous: Tensor) -> Tensor:
        """The part of y_{i-1} in both maps: (M, n_gates + n). previous: (M,) actions."""
        part = self.actions.index_select(0, previous)
        return part if self.action_map is None else self.action_map(part)

    def state(self, contexts: list[Tensor], state: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
        """f: the topmost layer's s_i and the state of all layers.

        Args:
            contexts: (M, …) those that are not in ``known``.
            state: (M, state_size) of the step before.
            known: (M, n_gates + n) the parts of y_{i-1} and of a deterministic context.
        """
        return self.f(contexts, state, known[:, : self.n_gates])

    def action_scores(self, read: list[Tensor], known: Tensor) -> Tensor:
        """g: (M, n_actions) scores.

        Args:
            read: (M, …) s_i, then contexts that are not in ``known``.
            known: As for :meth:`state`.
        """
        x = self.first_map(*read) + known[:, self.n_gates :]
        return x if self.output is None else self.output(x.tanh_())


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
            self.rows = self.attention.rows(encoded.lengths, self.state).repeat(width)

    def step(self, previous: Tensor, boundaries: Tensor | None) -> Tensor:
        """The scores of the next action.

        Args:
            previous: (M,) the action before; the number of actions at the start.
            boundaries: (M, 5) the boundaries on the parser's stack, for deterministic attention;
                None where they are those of the step before.

        Returns:
            (M, n_actions).
        """
        known = self.equations.action_part(previous)
        if isinstance(self.attention, DeterministicAttention):
            if boundaries is not None:
                context = self.attention(self.keys, self.rows.of(self._read(boundaries)))
                self.of_context = self.map_context(context)
            if self.of_context is None:
                raise ValueError("deterministic attention needs the boundaries of each state")
            known += self.of_context
        if self.memories and self.attend_before_step:
            self.context = self._attend(self.top_of(self.state)[-1][0])
        before = [] if self.context is None else [self.context]
        s, self.state = self.equations.state(before, self.state, known)
        if self.memories and not self.attend_before_step:
            self.context = self._attend(s)
        after = [] if self.context is None else [self.context]
        return self.equations.action_scores([s, *after], known)

    def _attend(self, s: Tensor) -> Tensor:
        """The contexts that a state of the decoder finds, side by side: (M, n_attended)."""
        found = [attention(memory, s) for attention, memory in self.memories]
        if isinstance(self.attention, ProbabilisticAttention):
            self.shares = found[0][1]
        contexts = [context for context, _ in found]
        return torch.cat(contexts, 1) if len(contexts) > 1 else contexts[0]

    def _read(self, boundaries: Tensor) -> Tensor:
        """D: (M, |D|) the positions to read."""
        if len(self.rows.padding) > boundaries.shape[1]:
            boundaries = with_heads(boundaries, rightmost_heads(boundaries))
        self.positions = boundaries
        return boundaries

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
        self.state = self.state.index_select(0, rows)
        if self.context is not None:
            self.context = self.context.index_select(0, rows)
        if self.positions is not None:
            self.positions = self.positions.index_select(0, rows)
        if self.of_context is not None:
            self.of_context = self.of_context.index_select(0, rows)

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
            self.rows = self.rows.select(rows)
