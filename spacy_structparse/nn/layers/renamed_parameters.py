"""Parameters of weights that were saved when they had other names or shapes."""

from collections.abc import MutableMapping, Sequence
from typing import Any

from torch import Tensor

RECURRENT = {
    "rnn.weight_ih_l{}": "weight_x",
    "rnn.weight_hh_l{}": "weight_h",
    "rnn.bias_ih_l{}": "bias_x",
    "rnn.bias_hh_l{}": "bias_h",
}
ATTENTION = {
    "of_position.weight": "of_position",
    "of_phrase": "of_position",
    "of_state.weight": "of_query",
}


def rename_recurrent(
    tensors: MutableMapping[str, Tensor], prefix: str, layers: Sequence[Any]
) -> None:
    """Give the parameters of recurrent layers their names of today, in place.

    An LSTM had two biases, which are added, and the weights of an LSTM of Vinyals et al. (2015)
    stood in one matrix.

    Args:
        tensors: The weights of a file.
        prefix: Of the names of the layers' parameters.
        layers: The layers they are for.
    """
    for i, layer in enumerate(layers):
        new = f"{prefix}layers.{i}."
        for before, after in RECURRENT.items():
            if (name := prefix + before.format(i)) in tensors:
                tensors[new + after] = tensors.pop(name)
        if new + "bias_x" in tensors and hasattr(layer, "bias"):
            tensors[new + "bias"] = tensors.pop(new + "bias_x") + tensors.pop(new + "bias_h")
        if (name := f"{prefix}gates.{i}.weight") in tensors:
            both = tensors.pop(name)
            tensors[new + "weight_x"] = both[:, : layer.n_input]
            tensors[new + "weight_h"] = both[:, layer.n_input :]


def rename_attention(tensors: MutableMapping[str, Tensor], prefix: str) -> None:
    """Give the parameters of an additive attention their names of today, in place.

    Args:
        tensors: The weights of a file.
        prefix: Of the names of the attention's parameters.
    """
    for before, after in ATTENTION.items():
        if prefix + before in tensors:
            tensors[prefix + after] = tensors.pop(prefix + before)
    if (name := prefix + "v") in tensors:  # once a matrix of one column
        tensors[name] = tensors[name].flatten()
