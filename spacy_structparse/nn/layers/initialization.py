"""Initial weights of every parser's layers."""

import math

import torch
from torch import Tensor


def glorot_uniform_(parameter: Tensor) -> None:
    """Fill a parameter uniformly from ±sqrt(6 / (rows + columns)) (Dyer et al. 2015, §4).

    Args:
        parameter: A matrix, or a vector, which counts as one column.
    """
    columns = parameter.shape[1] if parameter.dim() > 1 else 1
    bound = math.sqrt(6.0 / (parameter.shape[0] + columns))
    with torch.no_grad():
        parameter.uniform_(-bound, bound)


def glorot_uniform_gates_(weight: Tensor, hidden: int) -> None:
    """Apply :func:`glorot_uniform_` to each gate's block of rows.

    The number of gates then does not make a gate's weights smaller.

    Args:
        weight: (n_gates * hidden, n_input).
        hidden: Rows of a gate.
    """
    for block in weight.data.split(hidden):
        glorot_uniform_(block)
