"""Operations with gradients of their own, under autocast.

Autocast would make products in half precision where they stand between tensors in single precision,
and on the way back, where it is off, the two would meet. Here such an operation gets all it reads
in half precision, as if a model were in it, there and back. ``torch.amp.custom_fwd`` does this for
one type of device and one precision, named beforehand.
"""

from functools import wraps
from typing import Any, TypeVar

import torch
from torch import Tensor

Operation = TypeVar("Operation", bound=type[torch.autograd.Function])


def precision(x: Tensor) -> torch.dtype:
    """What products with a tensor are made in: under autocast half precision, else its own."""
    device = x.device.type
    if x.dtype != torch.float32 or not torch.is_autocast_enabled(device):
        return x.dtype
    return torch.get_autocast_dtype(device)


def at_least_single(x: Tensor) -> Tensor:
    """In single precision, if it is in less: scores that probabilities or trees are made from."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def in_one_precision(operation: Operation) -> Operation:
    """A class decorator: under autocast an operation's inputs in single precision are given in half
    precision, and within it autocast is off."""
    forward = operation.forward

    @wraps(forward)
    def in_one(ctx: Any, *inputs: Any) -> Any:
        device = next(x.device.type for x in inputs if isinstance(x, Tensor))
        if not torch.is_autocast_enabled(device):
            return forward(ctx, *inputs)
        inputs = tuple(x.to(precision(x)) if isinstance(x, Tensor) else x for x in inputs)
        with torch.autocast(device, enabled=False):
            return forward(ctx, *inputs)

    operation.forward = staticmethod(in_one)  # type: ignore[assignment]
    return operation
