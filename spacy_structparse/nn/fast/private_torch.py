"""Private functions of PyTorch, each with a fallback.

Checked against PyTorch 2.13. Where a function is missing, results are the same and take
longer.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

_MKLDNN: Any = torch.ops.mkldnn
_LSTM = 2  # among oneDNN's kinds of recurrent layers


@cache
def cpu_has_bfloat16() -> bool:
    """Return whether the processor has instructions for bfloat16 (AVX-512 BF16 or AMX)."""
    names = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, name, bool)() for name in names)


def can_pack(dtype: torch.dtype) -> bool:
    """Return whether oneDNN multiplies packed weights of a type on this processor."""
    if not torch.backends.mkldnn.is_available() or not hasattr(_MKLDNN, "_linear_pointwise"):
        return False
    if dtype == torch.bfloat16:  # it needs instructions of AVX-512
        return _MKLDNN._is_mkldnn_bf16_supported()
    return dtype == torch.float32


def pack(weight: Tensor) -> Tensor:
    """Return W, (out, in), as :func:`packed_product` takes it.

    Of a copy: oneDNN asks for memory to write to, and a snapshot of weights sees that.
    """
    return _MKLDNN._reorder_linear_weight(weight.clone(memory_format=torch.contiguous_format))


def packed_product(x: Tensor, packed: Tensor, bias: Tensor, plus: Tensor | None = None) -> Tensor:
    """Return x W^T + b + plus; no weights that are cached may be the bias."""
    if plus is None:
        return _MKLDNN._linear_pointwise(x, packed, bias, "none", [], "")
    return _MKLDNN._linear_pointwise.binary(x, plus, packed, bias, "add")


def packed_lstm_function(
    w_x: Tensor, w_h: Tensor, biases: Sequence[Tensor]
) -> Callable[[Tensor, Sequence[Tensor]], Tensor] | None:
    """Return the outputs of ``torch.lstm``, without gradients, as a function of its input and of
    the states before; None where oneDNN does not multiply the type."""
    arrange = getattr(_MKLDNN, "_reorder_mkldnn_rnn_layer_weight", None)
    if arrange is None or not can_pack(w_x.dtype):
        return None
    hidden = w_h.shape[1]
    arranged = arrange(w_x, w_h, hidden, False, True, False)
    return lambda x, before: torch.ops.aten.mkldnn_rnn_layer(
        *(x, *arranged, *biases, *before, False, [], _LSTM, hidden, 1, True, False, False, False)
    )[0]


def lazy_copy(tensor: Tensor) -> Tensor:
    """Return a copy that shares memory with the tensor until one of them is written to.

    Where PyTorch cannot do that, as of memory that processes share, it is a copy.
    """
    try:
        return torch._lazy_clone(tensor.detach())  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError):
        return tensor.detach().clone()


address: Callable[[Tensor], int | None] = getattr(torch._C, "_data_address", lambda tensor: None)
"""Return where a tensor lies in memory, which counts as reading: ``data_ptr()`` counts as writing.
None where PyTorch does not say it."""


def base_of(tensor: Tensor) -> Tensor:
    """Return the tensor that this one is a view of, or itself."""
    return tensor if tensor._base is None else tensor._base
