"""The equations of a decoding step with packed weights."""

from functools import cached_property

import torch
from torch import Tensor

from ..kernels.autocast import precision
from ..kernels.bfloat16 import can_read_bfloat16
from ..kernels.kept import kept
from ..kernels.packed_linear import Linear, packed_linear, project
from ..layers.rnn.lstm import LSTM
from .action_decoder import ActionDecoder


def decoding_weights(model: ActionDecoder) -> list[Tensor]:
    """Return the weights of a :class:`DecodeStep`, and the masks of those that are pruned."""
    parts = (model.output, model.actions, model.decoder, model.readout)
    modules = [part for part in parts if part is not None]
    return [x for part in modules for x in (*part.parameters(), *part.buffers())]


def decode_step(model: ActionDecoder, n_rows: int, bfloat16: bool = False) -> "DecodeStep":
    """Return a :class:`DecodeStep`, the one of before if the weights are the same.

    Args:
        model: The decoder.
        n_rows: Rows of all steps together.
        bfloat16: As there.
    """
    has_table = len(model.actions.weight) <= n_rows  # most words of a large vocabulary never come
    what = DecodeStep, has_table, bfloat16, precision(model.actions.weight)
    return kept(what, decoding_weights(model), lambda: DecodeStep(model, has_table, bfloat16))


class DecodeStep:
    """f and g of an :class:`ActionDecoder` for the steps of decoding, the weights packed once.

    y_{i-1} and a deterministic context each have a part in the gates of f and a part in the first
    map of g. Both parts are computed together, and are known before a step.

    Args:
        model: The decoder.
        has_table: Whether the part of every action in both maps is computed beforehand.
        bfloat16: Whether an LSTM's products, but for the last linear map, are in bfloat16 on a CPU
            that has instructions for it.

    Attributes:
        context_weight: (n_gates + n, n_context) the maps of a deterministic context; None without.
        reduced: Whether products are in bfloat16.
    """

    def __init__(self, model: ActionDecoder, has_table: bool, bfloat16: bool = False) -> None:
        n_action, n_input = model.actions.embedding_dim, model.decoder.n_input
        n_known = n_input - model.n_attended  # y and a deterministic context
        bfloat16 &= all(isinstance(layer, LSTM) for layer in model.decoder.layers)
        self.reduced = bfloat16 and can_read_bfloat16(model.actions.weight)
        self.f = model.decoder.decode_step(n_known, self.reduced)
        gates, gates_bias = model.decoder.input_map(n_input)
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
            self.actions = project(self.actions, weight, bias)
        else:
            self.action_map = packed_linear(weight, bias)
        self.context_weight: Tensor | None = None
        if n_known > n_action:
            parts = [gates[:, n_action:n_known], first.weight[:, n_stepped:n_read]]
            self.context_weight = torch.cat(parts)
        # Scores themselves are not rounded.
        round_first = self.reduced and model.readout is not None
        self.first_map = packed_linear(first.weight[:, :n_stepped], bfloat16=round_first)
        self.output = None
        if model.readout is not None:
            self.output = packed_linear(model.output.weight, model.output_bias)

    @cached_property
    def map_context(self) -> Linear:
        """The maps of a deterministic context: (N, n_context) to (N, n_gates + n)."""
        assert self.context_weight is not None
        return packed_linear(self.context_weight, bfloat16=self.reduced)

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
