"""Moving batches between devices, and computing part by part what does not fit into memory."""

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from .precision import compute_dtype, current_dtype

T = TypeVar("T")

MAX_CELLS = 10_000_000  # numbers of pairs, steps or phrases that are in memory together


def uploaded(array: np.ndarray | Tensor, device: torch.device) -> Tensor:
    """Copy an array of the host to a device, without waiting for what the device computes.

    CUDA has read the array when this returns, so it may be changed.
    """
    tensor = torch.from_numpy(array) if isinstance(array, np.ndarray) else array
    return tensor.to(device, non_blocking=device.type != "cpu")


def to_device(batch: T, device: torch.device) -> T:
    """Copy the tensors of a batch to a device; numpy arrays stay on the host.

    Args:
        batch: A dataclass of tensors, of further such dataclasses, and of other values.
        device: The device.
    """
    moved: Any = batch
    if isinstance(batch, torch.Tensor):
        moved = uploaded(batch, device)
    elif is_dataclass(batch) and not isinstance(batch, type):
        values = {f.name: to_device(getattr(batch, f.name), device) for f in fields(batch)}
        moved = replace(batch, **values)
    return moved


def to_host(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Copy tensors to the host in one copy: the host waits for the device at every copy.

    Args:
        tensors: Of any shapes, of one type and on one device.
    """
    if not tensors:
        return []
    together = torch.cat([tensor.flatten() for tensor in tensors]).cpu()
    parts = together.split([tensor.numel() for tensor in tensors])
    return [part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]


def rows_together(width: int) -> int:
    """Return how many rows of a width are in memory together, at least one."""
    return max(1, MAX_CELLS // width)


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
    return torch.cat([recomputed(compute, *part) for part in parts], dim)


def recomputed(compute: Callable[..., T], *inputs: Any) -> T:
    """Compute a function of which nothing is kept: it is computed again on the way back, in the
    precision of now."""
    if not torch.is_grad_enabled():
        return compute(*inputs)
    dtype = current_dtype()

    def in_its_precision(*inputs: Any) -> T:
        with compute_dtype(dtype):
            return compute(*inputs)

    return checkpoint(in_its_precision, *inputs, use_reentrant=False)
