"""Moving batches between devices."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor

T = TypeVar("T")


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
