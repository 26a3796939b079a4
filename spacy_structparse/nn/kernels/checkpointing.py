"""Computation part by part, for results that do not fit into memory at once."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def checkpointed(
    compute: Callable[..., Tensor], size: int, *inputs: Tensor, dim: int = 0
) -> Tensor:
    """Compute a function that treats each row by itself, a few rows at a time.

    With gradients and several parts, each part is computed again on the way back instead of being
    kept.

    Args:
        compute: The function of ``inputs``.
        size: Most rows of a part.
        *inputs: Tensors with as many rows each.
        dim: The dimension of the rows, in the result too.

    Returns:
        The same as ``compute(*inputs)``.
    """
    parts = list(zip(*(one.split(size, dim) for one in inputs), strict=True))
    if len(parts) == 1:
        return compute(*inputs)
    if torch.is_grad_enabled():
        found = [checkpoint(compute, *part, use_reentrant=False) for part in parts]
    else:
        found = [compute(*part) for part in parts]
    return torch.cat(found, dim)
