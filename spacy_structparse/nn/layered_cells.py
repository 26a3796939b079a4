"""Stacked recurrent layers that can step and read sequences: ``gru``, ``lstm`` and ``paper``.

The decoders of the sequence-to-sequence parsers are made of them, and their one-way encoders.
``paper`` is the LSTM of Vinyals et al. (2015, §2): h = m * o, no tanh on the way out, no biases.
A state of all layers is one tensor (N, state_size), layer by layer from the lowest up, h and then c
of each, so that a beam reorders it in one operation.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import PackedSequence

from .deferred import DeferredLinear, LSTMPointwise
from .packed_linear import packed_linear, project
from .scans import GRUScan, LSTMScan


class Stepper(Protocol):
    """A step of all layers; see :meth:`LayeredCell.stepper`."""

    def __call__(
        self, inputs: Sequence[Tensor], state: Tensor, ahead: Tensor | None = None
    ) -> tuple[Tensor, Tensor]: ...


class LayerStep(Protocol):
    """A step of one layer."""

    def __call__(
        self, inputs: Sequence[Tensor], state: list[Tensor], ahead: Tensor | None = None
    ) -> list[Tensor]: ...


class LayeredCell(nn.Module, ABC):
    """``depth`` layers of ``hidden`` units over inputs of width ``n_input``."""

    n_parts: int  # tensors in the state of a layer

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__()
        self.n_input, self.hidden, self.depth = n_input, hidden, depth

    @property
    def state_size(self) -> int:
        return self.depth * self.n_parts * self.hidden

    def parts(self, state: Tensor) -> list[list[Tensor]]:
        """The tensors of each layer of a state: depth times n_parts of (N, hidden)."""
        chunks = list(state.chunk(self.depth * self.n_parts, 1))
        return [chunks[i : i + self.n_parts] for i in range(0, len(chunks), self.n_parts)]

    @abstractmethod
    def step_layer(self, layer: int, x: Tensor, state: list[Tensor]) -> list[Tensor]:
        """The new state of one layer, h first. x: (N, width)."""

    @abstractmethod
    def input_map(self, n: int) -> tuple[Tensor, Tensor]:
        """Weight (n_gates * hidden, n) and bias by which the first n columns of an input become
        what :meth:`stepper` takes as ``ahead``."""

    @abstractmethod
    def layer_stepper(self, layer: int, n_ahead: int = 0) -> LayerStep:
        """:meth:`step_layer` for decoding, its weights arranged once."""

    def step(self, x: Tensor, state: Tensor, rate: float = 0.0) -> tuple[Tensor, Tensor]:
        """One step of all layers, with gradients. x: (N, n_input); rate: dropout between layers.
        Returns h of the topmost layer and the new state."""
        new: list[Tensor] = []
        for layer, before in enumerate(self.parts(state)):
            after = self.step_layer(layer, x, before)
            new += after
            x = dropout(after[0], rate) if rate and layer + 1 < self.depth else after[0]
        return x, torch.cat(new, 1)

    def training_stepper(
        self, rate: float = 0.0
    ) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """:meth:`step`, for a loop of many steps through which gradients go back once."""
        return lambda x, state: self.step(x, state, rate)

    def stepper(self, n_ahead: int = 0) -> Stepper:
        """:meth:`step` for decoding: without gradients or dropout, its weights arranged once.

        The function takes the inputs, side by side, without the first ``n_ahead`` columns, and the
        state; ``ahead``: what :meth:`input_map` makes of those columns, (N, n_gates * hidden)."""
        layers = [self.layer_stepper(layer, 0 if layer else n_ahead) for layer in range(self.depth)]

        def step(
            inputs: Sequence[Tensor], state: Tensor, ahead: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            new: list[Tensor] = []
            for layer, before in zip(layers, self.parts(state), strict=True):
                after = layer(inputs, before, ahead)
                new += after
                inputs, ahead = after[:1], None
            return inputs[0], torch.cat(new, 1) if len(new) > 1 else new[0]

        return step

    def read(
        self, x: Tensor, sizes: Tensor, state: Tensor, rate: float = 0.0
    ) -> tuple[Tensor, Tensor]:
        """The outputs of whole sequences whose inputs are known.

        x: (S, n_input), step after step; sizes: (steps,) the rows of each, none more than before;
        state: (sizes[0], state_size). Returns h of the topmost layer, (S, hidden), and the state
        that each sequence ends in.
        """
        outputs, ended = [], []
        for inputs in x.split(sizes.tolist()):
            ended.append(state[len(inputs) :])
            h, state = self.step(inputs, state[: len(inputs)], rate)
            outputs.append(h)
        return torch.cat(outputs), torch.cat([state, *reversed(ended)])


class TorchCell(LayeredCell):
    """torch's own layers, which read whole sequences in one call."""

    def __init__(self, rnn: nn.GRU | nn.LSTM) -> None:
        super().__init__(rnn.input_size, rnn.hidden_size, rnn.num_layers)
        self.rnn = rnn

    def weights(self, layer: int) -> list[Tensor]:
        """w_ih, w_hh, b_ih, b_hh of a layer."""
        names = ("weight_ih_l", "weight_hh_l", "bias_ih_l", "bias_hh_l")
        return [getattr(self.rnn, f"{name}{layer}") for name in names]

    def read(
        self, x: Tensor, sizes: Tensor, state: Tensor, rate: float = 0.0
    ) -> tuple[Tensor, Tensor]:
        if x.device.type == "cpu":
            return self._scanned(x, sizes.tolist(), state, rate)
        self.rnn.dropout = rate if self.depth > 1 else 0.0
        parts = self.parts(state)
        first: Any = tuple(
            torch.stack([layer[part] for layer in parts]) for part in range(self.n_parts)
        )
        outputs, last = self.rnn(PackedSequence(x, sizes), first if self.n_parts > 1 else first[0])
        # (n_parts, depth, B, hidden), which is (depth, B, hidden) for a GRU.
        ended = torch.stack(last) if self.n_parts > 1 else last[None]
        return outputs.data, ended.permute(2, 1, 0, 3).flatten(1)

    def training_stepper(
        self, rate: float = 0.0
    ) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        layers = [self.deferred_layer(layer) for layer in range(self.depth)]

        def step(x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
            new: list[Tensor] = []
            for layer, before in zip(layers, self.parts(state), strict=True):
                if new and rate:
                    x = dropout(x, rate)
                x, *others = layer(x, before)
                new += [x, *others]
            return x, torch.cat(new, 1)

        return step

    @abstractmethod
    def deferred_layer(self, layer: int) -> Callable[[Tensor, list[Tensor]], Sequence[Tensor]]:
        """:meth:`step_layer` with the gradients of its weights deferred."""

    def _scanned(
        self, x: Tensor, sizes: list[int], state: Tensor, rate: float
    ) -> tuple[Tensor, Tensor]:
        ended: list[Tensor] = []
        for layer, before in enumerate(self.parts(state)):
            if layer and rate:
                x = dropout(x, rate)
            x, *last = self.scan_layer(layer, x, sizes, before)
            ended += last
        return x, torch.cat(ended, 1)

    @abstractmethod
    def scan_layer(
        self, layer: int, x: Tensor, sizes: list[int], state: list[Tensor]
    ) -> tuple[Tensor, ...]:
        """The outputs of one layer and the state that each sequence ends in."""


class GRU(TorchCell):
    """The gated recurrent unit (Cho et al. 2014) as torch has it."""

    n_parts = 1

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__(nn.GRU(n_input, hidden, depth))

    def step_layer(self, layer: int, x: Tensor, state: list[Tensor]) -> list[Tensor]:
        return [torch.gru_cell(x, state[0], *self.weights(layer))]

    def deferred_layer(self, layer: int) -> Callable[[Tensor, list[Tensor]], Sequence[Tensor]]:
        w_x, w_h, b_x, b_h = self.weights(layer)
        of_input, of_state = DeferredLinear(w_x, b_x), DeferredLinear(w_h, b_h)
        n = self.hidden

        def step(x: Tensor, state: list[Tensor]) -> Sequence[Tensor]:
            from_x, from_h = of_input(x), of_state(state[0])
            r, z = (from_x[:, : 2 * n] + from_h[:, : 2 * n]).sigmoid().chunk(2, 1)
            new = torch.addcmul(from_x[:, 2 * n :], r, from_h[:, 2 * n :]).tanh()
            return [torch.lerp(new, state[0], z)]

        return step

    def scan_layer(
        self, layer: int, x: Tensor, sizes: list[int], state: list[Tensor]
    ) -> tuple[Tensor, ...]:
        w_x, w_h, b_x, b_h = self.weights(layer)
        return GRUScan.apply(project(x, w_x, b_x), w_h, b_h, state[0], sizes)

    def input_map(self, n: int) -> tuple[Tensor, Tensor]:
        w_x, _, b_x, _ = self.weights(0)
        return w_x[:, :n], b_x

    def layer_stepper(self, layer: int, n_ahead: int = 0) -> LayerStep:
        w_x, w_h, b_x, b_h = self.weights(layer)
        n = self.hidden
        of_input = None
        if w_x.shape[1] > n_ahead:
            of_input = packed_linear(w_x[:, n_ahead:], torch.zeros_like(b_x) if n_ahead else b_x)
        of_state = packed_linear(w_h, b_h)

        def step(
            inputs: Sequence[Tensor], state: list[Tensor], ahead: Tensor | None = None
        ) -> list[Tensor]:
            (h,) = state
            from_h = of_state(h)
            from_x = ahead
            if of_input is not None:
                from_x = of_input(*inputs) if ahead is None else of_input(*inputs) + ahead
            if from_x is None:
                raise ValueError("a step needs inputs, or what is known of them ahead")
            r, z = (from_x[:, : 2 * n] + from_h[:, : 2 * n]).sigmoid_().chunk(2, 1)
            new = torch.addcmul(from_x[:, 2 * n :], r, from_h[:, 2 * n :]).tanh_()
            return [torch.lerp(new, h, z)]

        return step


class LSTM(TorchCell):
    """The LSTM of ``torch.nn.LSTM``."""

    n_parts = 2

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        rnn = nn.LSTM(n_input, hidden, depth)
        remember(rnn)
        super().__init__(rnn)

    def step_layer(self, layer: int, x: Tensor, state: list[Tensor]) -> list[Tensor]:
        return list(torch.lstm_cell(x, state, *self.weights(layer)))

    def deferred_layer(self, layer: int) -> Callable[[Tensor, list[Tensor]], Sequence[Tensor]]:
        w_x, w_h, b_x, b_h = self.weights(layer)
        gates_of = DeferredLinear(torch.cat([w_x, w_h], 1), b_x + b_h)

        def step(x: Tensor, state: list[Tensor]) -> Sequence[Tensor]:
            h, c = state
            return LSTMPointwise.apply(gates_of(x, h), c)

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

    def layer_stepper(self, layer: int, n_ahead: int = 0) -> LayerStep:
        w_x, w_h, bias = self._scaled(layer)
        weight = torch.cat([w_x[:, n_ahead:], w_h], 1)
        gates_of = (
            packed_linear(weight, torch.zeros_like(bias))
            if n_ahead
            else packed_linear(weight, bias, "sigmoid")
        )

        def step(
            inputs: Sequence[Tensor], state: list[Tensor], ahead: Tensor | None = None
        ) -> list[Tensor]:
            h, c = state
            gates = gates_of(*inputs, h)
            if ahead is not None:
                gates = gates.add_(ahead).sigmoid_()
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

    def layer_stepper(self, layer: int, n_ahead: int = 0) -> LayerStep:
        weight = self.gates[layer].weight
        gates_of = packed_linear(weight[:, n_ahead:], weight.new_zeros(len(weight)))

        def step(
            inputs: Sequence[Tensor], state: list[Tensor], ahead: Tensor | None = None
        ) -> list[Tensor]:
            h, m = state
            gates = gates_of(*inputs, h)
            return self._gated(gates if ahead is None else gates + ahead, m)

        return step


def remember(rnn: nn.LSTM) -> None:
    """Set the bias of an LSTM's forget gates to one: an LSTM that remembers learns sooner."""
    with torch.no_grad():
        for name, parameter in rnn.named_parameters():
            if name.startswith("bias_hh"):
                parameter[rnn.hidden_size : 2 * rnn.hidden_size] = 1.0


def layered_cell(kind: str, cell: str, n_input: int, hidden: int, depth: int) -> LayeredCell:
    """Layers of a kind, ``gru`` or ``lstm``; cell: which LSTM, ``torch`` or ``paper``."""
    if kind == "gru":
        return GRU(n_input, hidden, depth)
    return (PaperLSTM if cell == "paper" else LSTM)(n_input, hidden, depth)
