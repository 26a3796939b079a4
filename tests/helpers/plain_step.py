"""Steps of recurrent layers, by the equation of each layer."""

import torch
from torch import Tensor

from spacy_structparse.nn.layers.recurrent import (
    GRU,
    RecurrentLayer,
    StackedLayers,
    State,
    SummingLayer,
    gru_state,
)


def plain_step(layer: RecurrentLayer, x: Tensor, state: State) -> State:
    """The state of a layer after inputs (N, n_input)."""
    projected, of_h = layer.project(x), state[0] @ layer.weight_h.t()
    if isinstance(layer, GRU):
        return [gru_state(projected, of_h + layer.bias_h, state[0])]
    assert isinstance(layer, SummingLayer)
    return layer.gated(projected + of_h, state)


def plain_step_of_all(layers: StackedLayers, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """h of the topmost layer and the new state."""
    new: State = []
    for layer, before in zip(layers.layers, layers.parts(state), strict=True):
        new += plain_step(layer, x, before)
        x = new[-layers.n_parts]
    return x, torch.cat(new, 1)
