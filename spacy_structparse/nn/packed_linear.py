"""Linear maps with fixed weights, for decoding: arranged once, applied at every step.

On a CPU torch's own ``linear`` calls MKL, which on AMD processors stays below what their vector
units can do, and packs the weights anew at every call. oneDNN, which every CPU build of torch
contains and ``torch.compile`` uses, takes packed weights and applies the activation on the way
out: about twice as fast at the sizes of a decoding step. Where it is not available (a GPU, double
precision, another build) the plain operations are used.
"""

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor
from torch.nn.functional import pad

Activation = Literal["none", "relu", "sigmoid"]
# Multiplications below which oneDNN's dearer call costs more than it saves.
WORTH_A_CALL = 1_200_000
# oneDNN compiles a kernel for every number of rows it meets: it is shown multiples of these.
FEW_ROWS, MANY_ROWS = 16, 512
Linear = Callable[[Tensor], Tensor]


def rows_worth_a_call(weight: Tensor) -> int:
    """How many rows a product with a matrix must have for oneDNN's call to pay."""
    return -(-WORTH_A_CALL // weight.numel())


def packed_linear(weight: Tensor, bias: Tensor, activation: Activation = "none") -> Linear:
    """The function x -> activation(x W^T + b). weight: (out, in); bias: (out,); x: (N, in)."""
    transposed = weight.t()

    def plain(x: Tensor) -> Tensor:
        y = torch.addmm(bias, x, transposed)
        if activation == "sigmoid":
            return y.sigmoid_()
        return y.relu_() if activation == "relu" else y

    if (
        weight.device.type != "cpu"
        or weight.dtype != torch.float32
        or not torch.backends.mkldnn.is_available()
        or not hasattr(torch.ops.mkldnn, "_linear_pointwise")
    ):
        return plain
    linear = torch.ops.mkldnn._linear_pointwise
    packed = torch.ops.mkldnn._reorder_linear_weight(weight.detach().contiguous())
    offset = bias.detach().contiguous()
    enough = rows_worth_a_call(weight)

    def through_onednn(x: Tensor) -> Tensor:
        n = len(x)
        if n < enough:
            return plain(x)
        missing = -n % (FEW_ROWS if n <= MANY_ROWS else MANY_ROWS)
        if missing:
            x = pad(x, (0, 0, 0, missing))
        return linear(x, packed, offset, activation, [], "")[:n]

    return through_onednn


def project(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x W^T + b; without gradients by way of :func:`packed_linear`. x: (N, in)."""
    if torch.is_grad_enabled():
        return torch.addmm(bias, x, weight.t())
    return packed_linear(weight, bias)(x)
