"""Several recurrent layers, each of which reads the output of the one below."""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..fast.linear import Pack, packed_linear
from .lstm import LSTM, VinyalsLSTM
from .recurrent import GRU, RecurrentLayer, State
from .renamed_parameters import rename_recurrent

# How much larger the weights of inputs begin in layers above the first of encoders and decoders:
# what a layer of LSTMs gives is at first a small part of what it reads.
HIGHER_LAYERS = 2.0


StackedStep = Callable[..., tuple[Tensor, Tensor]]
"""A :data:`.recurrent.Step` of all layers: its state is (N, state_size), and it returns h of the
topmost layer and the new state."""


class StackedLayers(nn.Module):
    """Recurrent layers of one kind.

    A state of all layers is one tensor (N, state_size), layer by layer from the lowest up, h first
    in each, so that a beam reorders it in one operation.

    Args:
        kind: The kind of layer.
        n_input: Width of inputs.
        hidden: Width of a layer.
        depth: Number of layers.
        gain: Factor of the initial weights of inputs in layers above the first.
    """

    def __init__(
        self, kind: type[RecurrentLayer], n_input: int, hidden: int, depth: int, gain: float = 1.0
    ) -> None:
        super().__init__()
        self.n_input, self.hidden, self.depth = n_input, hidden, depth
        layers = [kind(hidden if layer else n_input, hidden) for layer in range(depth)]
        for layer in layers[1:]:
            layer.weight_x.data.mul_(gain)
        self.layers: Sequence[RecurrentLayer] = nn.ModuleList(layers)  # type: ignore[assignment]
        self.n_parts = kind.n_parts

    @property
    def state_size(self) -> int:
        return self.depth * self.n_parts * self.hidden

    def parts(self, state: Tensor) -> list[State]:
        """Return the state of each layer: depth times n_parts of (N, hidden)."""
        chunks = list(state.chunk(self.depth * self.n_parts, 1))
        return [chunks[i : i + self.n_parts] for i in range(0, len(chunks), self.n_parts)]

    def loop_step(
        self, n_projected: int = 0, rate: float = 0.0, pack: Pack = packed_linear
    ) -> StackedStep:
        """Return the step of all layers for a loop, see :meth:`RecurrentLayer.loop_step`.

        Args:
            n_projected: The first columns of inputs, which the first layer projects before the
                loop.
            rate: Dropout between layers.
            pack: Packs the weights of LSTMs, without gradients.
        """
        n_known = [n_projected] + [0] * (self.depth - 1)
        pairs = zip(self.layers, n_known, strict=True)
        steps = [layer.loop_step(n, pack) for layer, n in pairs]

        def step(
            inputs: Sequence[Tensor], state: Tensor, projected: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            new: State = []
            for layer, before in zip(steps, self.parts(state), strict=True):
                if new and rate:
                    inputs = [dropout(inputs[0], rate)]
                after = layer(inputs, before, projected)
                new += after
                inputs, projected = after[:1], None
            return inputs[0], torch.cat(new, 1) if len(new) > 1 else new[0]

        return step

    def read(
        self, x: Tensor, sizes: Sequence[int], state: Tensor, rate: float = 0.0
    ) -> tuple[Tensor, Tensor]:
        """Read whole sequences.

        Args:
            x: (S, n_input), step after step.
            sizes: Rows of each step, none more than before.
            state: (sizes[0], state_size).
            rate: Dropout between layers.

        Returns:
            h of the topmost layer, (S, hidden), and the state that each sequence ends in.
        """
        ended: State = []
        for layer, before in zip(self.layers, self.parts(state), strict=True):
            if ended and rate:
                x = dropout(x, rate)
            x, last = layer.run(x, before, sizes)
            ended += last
        return x, torch.cat(ended, 1)

    def _load_from_state_dict(
        self, state_dict: MutableMapping[str, Tensor], prefix: str, *args: Any
    ) -> None:
        rename_recurrent(state_dict, prefix, self.layers)
        super()._load_from_state_dict(state_dict, prefix, *args)


def stacked_layers(kind: str, cell: str, n_input: int, hidden: int, depth: int) -> StackedLayers:
    """Return the layers of an encoder or a decoder.

    Args:
        kind: ``gru`` or ``lstm``.
        cell: Which LSTM: ``torch``, or ``paper`` for that of Vinyals et al. (2015).
        n_input: Width of inputs.
        hidden: Width of a layer.
        depth: Number of layers.
    """
    lstm = VinyalsLSTM if cell == "paper" else LSTM
    return StackedLayers(GRU if kind == "gru" else lstm, n_input, hidden, depth, HIGHER_LAYERS)
