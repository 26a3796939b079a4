"""The precision of fast products: set once around a model, read where the products are made.

A model says which of its products may be rounded: it calls
:func:`~spacy_structparse.nn.fast.linear.fast_linear` for these, and
:func:`~spacy_structparse.nn.fast.linear.linear` for the others. bfloat16 takes effect on a CPU that
has instructions for it; elsewhere all products are in the precision of their inputs.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor

from .private_torch import cpu_has_bfloat16

SETTING = "bfloat16"  # of an architecture: round the products that may be rounded
_COMPUTE_DTYPE: ContextVar[torch.dtype | None] = ContextVar("compute_dtype", default=None)


@contextmanager
def compute_dtype(dtype: torch.dtype | None) -> Iterator[None]:
    """Set the precision of the fast products that this thread computes.

    The way back needs no context: a product keeps its precision, and
    :func:`~spacy_structparse.nn.fast.device.recomputed` that of its function.

    Args:
        dtype: bfloat16, or None for the precision of the inputs.
    """
    token = _COMPUTE_DTYPE.set(dtype)
    try:
        yield
    finally:
        _COMPUTE_DTYPE.reset(token)


def precision_of(settings: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return the context of fast products that the settings of an architecture ask for."""
    return compute_dtype(torch.bfloat16 if settings.get(SETTING) else None)


def current_dtype() -> torch.dtype | None:
    """Return the precision that :func:`compute_dtype` has set."""
    return _COMPUTE_DTYPE.get()


def fast_dtype(x: Tensor) -> torch.dtype:
    """Return the precision in which fast products of a tensor are computed."""
    dtype = _COMPUTE_DTYPE.get()
    if dtype is None or (x.dtype, x.device.type) != (torch.float32, "cpu"):
        return x.dtype
    return dtype if cpu_has_bfloat16() else x.dtype


def is_rounded(x: Tensor) -> bool:
    """Return whether fast products of a tensor are computed in bfloat16."""
    return fast_dtype(x) != x.dtype


class LazyAnswers:
    """Answers that are computed when they are asked for, as models predict: without gradients, and
    in the precision that was set when this was made."""

    def __init__(self) -> None:
        self._dtype = current_dtype()

    @contextmanager
    def predicting(self) -> Iterator[None]:
        with torch.inference_mode(), compute_dtype(self._dtype):
            yield
