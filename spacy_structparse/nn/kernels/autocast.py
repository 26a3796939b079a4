"""Operations with gradients of their own, under autocast.

Under autocast a product of tensors in single precision has a result in half precision. The way back
is not under autocast, so that the two precisions would meet there. An operation with a gradient of
its own therefore gets all of its inputs in half precision. ``torch.amp.custom_fwd`` does this for
one type of device and one precision, named beforehand.
"""

from functools import wraps
from typing import Any, TypeVar

import torch
from torch import Tensor

Operation = TypeVar("Operation", bound=type[torch.autograd.Function])


def precision(x: Tensor) -> torch.dtype:
    """Return the precision of products with ``x``: half precision under autocast, else its own."""
    device = x.device.type
    if x.dtype != torch.float32 or not torch.is_autocast_enabled(device):
        return x.dtype
    return torch.get_autocast_dtype(device)


def at_least_single(x: Tensor) -> Tensor:
    """Return ``x`` in single precision if it is in less, for probabilities and trees."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def in_one_precision(operation: Operation) -> Operation:
    """Decorate an operation: under autocast its inputs in single precision become half precision.

    Within the operation autocast is off.
    """
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
