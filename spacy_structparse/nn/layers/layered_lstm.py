"""Layers of LSTMs: torch's, and that of Vinyals et al. (2015, §2): h = m * o, no biases."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..kernels.deferred_gradients import DeferredLinear, LSTMPointwise
from ..kernels.packed_linear import packed_linear, project
from ..kernels.scans import LSTMScan
from .initialization import glorot_uniform_gates_
from .layered_cell import HIGHER_LAYERS, DeferredStep, LayeredCell, LayerStep, TorchCell


class LSTM(TorchCell):
    """The LSTM of ``torch.nn.LSTM``."""

    n_parts = 2

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__(nn.LSTM(n_input, hidden, depth))
        remember(self.rnn)

    def step_layer(self, layer: int, x: Tensor, state: list[Tensor]) -> list[Tensor]:
        return list(torch.lstm_cell(x, state, *self.weights(layer)))

    def deferred_layer(self, layer: int, n_precomputed: int = 0) -> DeferredStep:
        w_x, w_h, b_x, b_h = self.weights(layer)
        gates_of = DeferredLinear(torch.cat([w_x[:, n_precomputed:], w_h], 1), b_x + b_h)

        def step(
            x: Tensor, state: list[Tensor], precomputed: Tensor | None = None
        ) -> Sequence[Tensor]:
            h, c = state
            gates = gates_of(x, h)
            return LSTMPointwise.apply(gates if precomputed is None else gates + precomputed, c)

        return step

    def scan_layer(
        self, layer: int, x: Tensor, sizes: list[int], state: list[Tensor]
    ) -> tuple[Tensor, ...]:
        w_x, w_h, b_x, b_h = self.weights(layer)
        return LSTMScan.apply(project(x, w_x, b_x + b_h), w_h, *state, sizes)

    def _scaled(self, layer: int) -> tuple[Tensor, Tensor, Tensor]:
        """Weights and bias with the rows of g doubled, so that one sigmoid over all gates serves
        its tanh too."""
        w_x, w_h, b_x, b_h = self.weights(layer)
        scale = torch.ones(4, self.hidden, 1, dtype=w_x.dtype, device=w_x.device)
        scale[2] = 2
        flat = scale.view(-1, 1)
        return w_x * flat, w_h * flat, (b_x + b_h) * flat[:, 0]

    def input_map(self, n: int) -> tuple[Tensor, Tensor]:
        w_x, _, bias = self._scaled(0)
        return w_x[:, :n], bias

    def decode_layer(self, layer: int, n_precomputed: int = 0) -> LayerStep:
        w_x, w_h, bias = self._scaled(layer)
        weight = torch.cat([w_x[:, n_precomputed:], w_h], 1)
        gates_of = (
            packed_linear(weight, torch.zeros_like(bias))
            if n_precomputed
            else packed_linear(weight, bias, "sigmoid")
        )

        def step(
            inputs: Sequence[Tensor], state: list[Tensor], precomputed: Tensor | None = None
        ) -> list[Tensor]:
            h, c = state
            gates = gates_of(*inputs, h)
            if precomputed is not None:
                gates = gates.add_(precomputed).sigmoid_()
            i, f, s, o = gates.chunk(4, 1)
            c = torch.mul(f, c).addcmul_(i, s, value=2).sub_(i)
            return [torch.tanh(c).mul_(o), c]

        return step


class PaperLSTM(LayeredCell):
    """The LSTM of Vinyals et al. (2015), §2."""

    n_parts = 2

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__(n_input, hidden, depth)
        widths = [n_input] + [hidden] * (depth - 1)
        self.gates: Sequence[nn.Linear] = nn.ModuleList(  # type: ignore[assignment]
            nn.Linear(width + hidden, 4 * hidden, bias=False) for width in widths
        )
        for layer, (width, gates) in enumerate(zip(widths, self.gates, strict=True)):
            of_x, of_h = gates.weight.data.split([width, hidden], 1)
            for part in (of_x, of_h):
                glorot_uniform_gates_(part, hidden)
            if layer:
                of_x.mul_(HIGHER_LAYERS)

    def step_layer(self, layer: int, x: Tensor, state: list[Tensor]) -> list[Tensor]:
        h, m = state
        return self._gated(self.gates[layer](torch.cat([x, h], 1)), m)

    def _gated(self, gates: Tensor, m: Tensor) -> list[Tensor]:
        i, f, o = gates[:, : 3 * self.hidden].sigmoid().chunk(3, 1)
        m = m * f + i * gates[:, 3 * self.hidden :].tanh()
        return [m * o, m]

    def input_map(self, n: int) -> tuple[Tensor, Tensor]:
        weight = self.gates[0].weight
        return weight[:, :n], weight.new_zeros(len(weight))

    def decode_layer(self, layer: int, n_precomputed: int = 0) -> LayerStep:
        weight = self.gates[layer].weight
        gates_of = packed_linear(weight[:, n_precomputed:], weight.new_zeros(len(weight)))

        def step(
            inputs: Sequence[Tensor], state: list[Tensor], precomputed: Tensor | None = None
        ) -> list[Tensor]:
            h, m = state
            gates = gates_of(*inputs, h)
            return self._gated(gates if precomputed is None else gates + precomputed, m)

        return step


def remember(rnn: nn.GRU | nn.LSTM) -> None:
    """Set the bias of an LSTM's forget gates to one: an LSTM that remembers learns sooner."""
    with torch.no_grad():
        for name, parameter in rnn.named_parameters():
            if name.startswith("bias_hh"):
                parameter[rnn.hidden_size : 2 * rnn.hidden_size] = 1.0
