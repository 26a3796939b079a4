"""A transformer for parsing in bfloat16, its linear maps packed once."""

from copy import deepcopy

import torch
from torch import Tensor, nn

from ..kernels.packed_linear import packed_linear


class PackedLinear(nn.Module):
    """A linear map in bfloat16, without gradients.

    Args:
        layer: The map. Its weights are shared: some transformers ask for their type.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.weight = _shared(layer.weight)
        bias = None if layer.bias is None else layer.bias.bfloat16()
        self.linear = packed_linear(layer.weight.bfloat16(), bias)

    def forward(self, x: Tensor) -> Tensor:
        """Map vectors: (..., out). x: (..., in)."""
        rows = x.to(torch.bfloat16).reshape(-1, x.shape[-1])
        return self.linear(rows).view(*x.shape[:-1], len(self.weight))


def _shared(weight: Tensor) -> nn.Parameter:
    """A parameter in the same memory: the copy is kept with the weights, and must not hold them."""
    return nn.Parameter(weight.detach(), requires_grad=False)


def packed_copy(transformer: nn.Module) -> nn.Module:
    """Return a copy whose linear maps are packed. It shares all weights.

    Under autocast every call would round every weight anew.

    Args:
        transformer: On a CPU that has instructions for bfloat16.
    """
    shared: dict[int, object] = {id(one): _shared(one) for one in transformer.parameters()}
    for layer in transformer.modules():
        if type(layer) is nn.Linear:
            shared[id(layer)] = PackedLinear(layer)
    return deepcopy(transformer, shared).eval()
