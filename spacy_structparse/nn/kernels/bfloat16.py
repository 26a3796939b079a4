"""Choice of the precision in which a layer reads."""

import torch
from torch import Tensor

from .autocast import precision


def has_fast_bfloat16(device: torch.device) -> bool:
    """Return whether a device is a CPU with instructions for bfloat16."""
    if device.type != "cpu":
        return False
    named = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, name, lambda: False)() for name in named)


def can_read_bfloat16(x: Tensor) -> bool:
    """Return whether ``x`` is in single precision, not under autocast, and on a CPU with
    instructions for bfloat16."""
    return precision(x) == torch.float32 and has_fast_bfloat16(x.device)


def reading_dtype(x: Tensor, bfloat16: bool) -> torch.dtype:
    """Return the precision in which ``x`` is read.

    Args:
        x: The input.
        bfloat16: Whether bfloat16 is wanted.

    Returns:
        Half precision under autocast; bfloat16 if it is wanted, ``x`` is in single precision and
        its device is a CPU with instructions for it; otherwise the precision of ``x``.
    """
    return torch.bfloat16 if bfloat16 and can_read_bfloat16(x) else precision(x)
