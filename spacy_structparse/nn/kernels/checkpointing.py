"""What would not fit into memory at once, computed part by part."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


def in_parts(compute: Callable[..., Tensor], size: int, *inputs: Tensor, dim: int = 0) -> Tensor:
    """``compute(*inputs)``, which treats each row by itself, for at most ``size`` rows at a time.

    Where gradients are wanted and there are several parts, each is computed again on the way back
    instead of being kept. inputs: with as many rows each; dim: where rows are, in the result
    too."""
    parts = list(zip(*(one.split(size, dim) for one in inputs), strict=True))
    if len(parts) == 1:
        return compute(*inputs)
    if torch.is_grad_enabled():
        found = [checkpoint(compute, *part, use_reentrant=False) for part in parts]
    else:
        found = [compute(*part) for part in parts]
    return torch.cat(found, dim)
