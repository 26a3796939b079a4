"""The precision and the device of a computation, and parts of it where it does not fit into memory.

The precision of fast products is set once around a model, and read where the products are made. A
model says which of its products may be rounded: it calls
:func:`~spacy_structparse.nn.fast.linear.fast_linear` for these, and
:func:`~spacy_structparse.nn.fast.linear.linear` for the others. bfloat16 takes effect on a CPU that
has instructions for it; elsewhere all products are in the precision of their inputs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from .private_torch import cpu_has_bfloat16

T = TypeVar("T")

SETTING = "bfloat16"  # of an architecture: round the products that may be rounded
_COMPUTE_DTYPE: ContextVar[torch.dtype | None] = ContextVar("compute_dtype", default=None)

MAX_CELLS = 10_000_000  # numbers of pairs, steps or phrases that are in memory together


@contextmanager
def compute_dtype(dtype: torch.dtype | None) -> Iterator[None]:
    """Set the precision of the fast products that this thread computes.

    The way back needs no context: a product keeps its precision, and
    :func:`recomputed` that of its function.

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


def in_fast_precision(*tensors: Tensor) -> list[Tensor]:
    """Return tensors in the precision in which fast products of them are computed."""
    return [x.to(fast_dtype(x)) for x in tensors]


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


def to_device(value: Any, like: Tensor | torch.device) -> Any:
    """Copy a tensor, an array or a batch to a device, without waiting for what the device computes.

    CUDA has read an array when this returns, so it may be changed.

    Args:
        value: A tensor, an array, or a dataclass of tensors, of further such dataclasses, and of
            other values. Arrays in a dataclass stay on the host.
        like: A tensor on the device, or the device.
    """
    device = like.device if isinstance(like, Tensor) else like
    if isinstance(value, np.ndarray):
        value = torch.from_numpy(value)
    if isinstance(value, Tensor):
        return value.to(device, non_blocking=device.type != "cpu")
    if not is_dataclass(value) or isinstance(value, type):
        return value
    parts = {field.name: getattr(value, field.name) for field in fields(value)}
    moved = {n: to_device(x, device) for n, x in parts.items() if not isinstance(x, np.ndarray)}
    return replace(value, **moved)


def rows_of(x: Tensor, rows: np.ndarray | Tensor) -> Tensor:
    """Return rows of a tensor that the host names."""
    return x.index_select(0, to_device(rows, x))


def rows_or_zeros(x: Tensor, rows: np.ndarray) -> Tensor:
    """Return rows of a tensor that the host names, and zeros where it names a negative one."""
    return rows_of(x, np.maximum(rows, 0)).masked_fill(to_device(rows < 0, x)[:, None], 0.0)


def start_of_sentence(lengths: np.ndarray, like: Tensor) -> Tensor:
    """Return the first word of each sentence, (B,), on the device of a tensor."""
    return to_device(np.cumsum(lengths) - lengths, like)


def range_like(x: Tensor, n: int) -> Tensor:
    """Return the numbers from 0 to n - 1 on the device of a tensor."""
    return torch.arange(n, device=x.device)


def sentence_of_word(lengths: np.ndarray, like: Tensor) -> Tensor:
    """Return the sentence of each word, (N,), on the device of a tensor.

    Args:
        lengths: (B,) words of each sentence; they stand end to end.
        like: The tensor.
    """
    return to_device(np.repeat(np.arange(len(lengths)), lengths), like)


def sum_by_sentence(of_words: Tensor, lengths: np.ndarray) -> Tensor:
    """Return the sum of the rows of each sentence: (B, ...). lengths: (B,) words of each."""
    total = of_words.new_zeros(len(lengths), *of_words.shape[1:])
    return total.index_add(0, sentence_of_word(lengths, of_words), of_words)


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


def to_numpy(x: Tensor) -> np.ndarray:
    """Copy a tensor to the host, as an array."""
    return x.cpu().numpy()


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
    parts = list(zip(*(x.split(size, dim) for x in inputs), strict=True))
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
