"""Moving batches between devices."""

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import torch

T = TypeVar("T")


def to_device(batch: T, device: torch.device) -> T:
    """Copy the tensors of a batch to a device; numpy arrays stay on the host.

    Args:
        batch: A dataclass of tensors, of further such dataclasses, and of other values.
        device: The device.
    """
    moved: Any = batch
    if isinstance(batch, torch.Tensor):
        moved = batch.to(device)
    elif is_dataclass(batch) and not isinstance(batch, type):
        values = {f.name: to_device(getattr(batch, f.name), device) for f in fields(batch)}
        moved = replace(batch, **values)
    return moved
