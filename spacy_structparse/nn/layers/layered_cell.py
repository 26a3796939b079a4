"""Stacked recurrent layers that can step and read sequences: what all kinds of them share.

A state of all layers is one tensor (N, state_size), layer by layer from the lowest up, h and then c
of each, so that a beam reorders it in one operation.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout
from torch.nn.utils.rnn import PackedSequence

from ..kernels.packed_linear import project
from .initialization import glorot_uniform_gates_

# How much larger the weights of inputs begin in layers above the first: what a layer of LSTMs gives
# is at first a small part of what it reads.
HIGHER_LAYERS = 2.0


class Stepper(Protocol):
    """A step of all layers; see :meth:`LayeredCell.decode_step`."""

    def __call__(
        self, inputs: Sequence[Tensor], state: Tensor, precomputed: Tensor | None = None
    ) -> tuple[Tensor, Tensor]: ...


class TrainingStepper(Protocol):
    """A step of all layers; see :meth:`LayeredCell.training_step`."""

    def __call__(
        self, x: Tensor, state: Tensor, precomputed: Tensor | None = None
    ) -> tuple[Tensor, Tensor]: ...


class DeferredStep(Protocol):
    """A step of one layer in training."""

    def __call__(
        self, x: Tensor, state: list[Tensor], precomputed: Tensor | None = None
    ) -> Sequence[Tensor]: ...


class LayerStep(Protocol):
    """A step of one layer."""

    def __call__(
        self, inputs: Sequence[Tensor], state: list[Tensor], precomputed: Tensor | None = None
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
        what :meth:`decode_step` takes as ``precomputed``."""

    @abstractmethod
    def decode_layer(self, layer: int, n_precomputed: int = 0) -> LayerStep:
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

    def precompute(self, x: Tensor) -> Tensor:
        """What :meth:`training_step` takes as ``precomputed`` of the first n columns of inputs that
        are known before the loop. x: (N, n)."""
        return x

    def training_step(self, rate: float = 0.0, n_precomputed: int = 0) -> TrainingStepper:
        """:meth:`step`, for a loop of many steps through which gradients go back once.

        The function takes the inputs without their first ``n_precomputed`` columns."""

        def step(
            x: Tensor, state: Tensor, precomputed: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            whole = x if precomputed is None else torch.cat([precomputed, x], 1)
            return self.step(whole, state, rate)

        return step

    def decode_step(self, n_precomputed: int = 0) -> Stepper:
        """:meth:`step` for decoding: without gradients or dropout, its weights arranged once.

        The function takes the inputs, side by side, without the first ``n_precomputed`` columns,
        and the state; ``precomputed``: what :meth:`input_map` makes of those columns, (N, n_gates *
        hidden)."""
        layers = [
            self.decode_layer(layer, 0 if layer else n_precomputed) for layer in range(self.depth)
        ]

        def step(
            inputs: Sequence[Tensor], state: Tensor, precomputed: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            new: list[Tensor] = []
            for layer, before in zip(layers, self.parts(state), strict=True):
                after = layer(inputs, before, precomputed)
                new += after
                inputs, precomputed = after[:1], None
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
        # torch begins with uniform weights in ±1 / sqrt(hidden): after three layers of LSTMs next
        # to nothing is left of the words, and attention learns to align much later.
        with torch.no_grad():
            for name, parameter in rnn.named_parameters():
                if name.startswith("weight"):
                    glorot_uniform_gates_(parameter, self.hidden)
                    if name.startswith("weight_ih") and name != "weight_ih_l0":
                        parameter.mul_(HIGHER_LAYERS)
                else:
                    parameter.zero_()

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

    def precompute(self, x: Tensor) -> Tensor:
        return project(x, self.weights(0)[0][:, : x.shape[1]])

    def training_step(self, rate: float = 0.0, n_precomputed: int = 0) -> TrainingStepper:
        layers = [self.deferred_layer(i, 0 if i else n_precomputed) for i in range(self.depth)]

        def step(
            x: Tensor, state: Tensor, precomputed: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            new: list[Tensor] = []
            for layer, before in zip(layers, self.parts(state), strict=True):
                if new and rate:
                    x = dropout(x, rate)
                x, *others = layer(x, before, precomputed)
                new += [x, *others]
                precomputed = None
            return x, torch.cat(new, 1)

        return step

    @abstractmethod
    def deferred_layer(self, layer: int, n_precomputed: int = 0) -> DeferredStep:
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
