"""Moving batches between devices."""

from dataclasses import fields, replace
from typing import Any, TypeVar

import torch

Batch = TypeVar("Batch")


def to_device(batch: Batch, device: torch.device) -> Batch:
    """Copy a dataclass with all its tensors on a device; numpy arrays stay on the host.

    Args:
        batch: A dataclass of tensors, of parts that have a ``to`` themselves, and of other values.
        device: The device.
    """
    parts: Any = batch
    values = {field.name: getattr(parts, field.name) for field in fields(parts)}
    moved = {name: value.to(device) for name, value in values.items() if hasattr(value, "to")}
    return replace(parts, **moved)
