"""Weights stored in half precision, and read back in single precision."""

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

HalfType = Literal["float16", "bfloat16"]


def in_half(tensors: Mapping[str, Tensor], half: HalfType | None) -> dict[str, Tensor]:
    """Tensors of single precision in half precision; one that is too large for it is kept.

    Args:
        tensors: Weights by name.
        half: The type. None: all tensors as they are.
    """
    if half is None:
        return dict(tensors)
    return {name: _halved(tensor, half) for name, tensor in tensors.items()}


def in_single(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of half precision in single precision, the others as they are."""
    halves = (torch.float16, torch.bfloat16)
    return {name: t.float() if t.dtype in halves else t for name, t in tensors.items()}


def _halved(tensor: Tensor, half: HalfType) -> Tensor:
    if tensor.dtype != torch.float32:
        return tensor
    small = tensor.to(getattr(torch, half))
    return small if bool((small.isfinite() == tensor.isfinite()).all()) else tensor
