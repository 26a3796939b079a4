"""What is computed from weights alone, kept as long as the weights stay as they are.

To pack or to round the weights takes longer than to multiply a short sentence by them.
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

Place = tuple[int, tuple[int, ...]]
# PyTorch converts memory to copy-on-write memory without a lock.
_LOCK = threading.Lock()


class Snapshot:
    """The values of tensors at one time.

    PyTorch's version counter leaves out what is written through ``weight.data``. A copy-on-write
    copy leaves out nothing: whoever writes to the tensor, under whatever name, makes PyTorch move
    it to new memory, because the copy holds the old one. As long as both are at one place nobody
    has written, and to see that reads no values. Only a NumPy view that is older than the snapshot
    writes past it.

    Args:
        tensors: The tensors.
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        with _LOCK:
            self._copies = [_copy(tensor) for tensor in tensors]
            self._places = [_place(copy) for copy in self._copies]

    def holds(self, tensors: Sequence[Tensor]) -> bool:
        """Return whether tensors have the values of the snapshot."""
        if len(tensors) != len(self._copies):
            return False
        for i, tensor in enumerate(tensors):
            if _place(tensor) != self._places[i] and not self._is_at_new_place(i, tensor):
                return False
        return True

    def _is_at_new_place(self, i: int, tensor: Tensor) -> bool:
        """Return whether a tensor has only moved: some operations of PyTorch that read, such as
        saving, count as writing."""
        copy = self._copies[i]
        if (tensor.dtype, tensor.device) != (copy.dtype, copy.device):
            return False
        if not torch.equal(tensor, copy):
            return False
        with _LOCK:
            self._copies[i] = _copy(tensor)
            self._places[i] = _place(self._copies[i])
        return True


def _copy(tensor: Tensor) -> Tensor:
    try:
        return torch._lazy_clone(tensor.detach())  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError):
        # Memory that PyTorch did not allocate, as that which processes share: it is compared.
        return tensor.detach().clone()


def _place(tensor: Tensor) -> Place:
    # `data_ptr()` would count as writing.
    return torch._C._data_address(tensor), tensor.stride()  # type: ignore[attr-defined]


T = TypeVar("T")
_ATTRIBUTE = "_structparse_kept"


class _Kept(dict[Hashable, tuple[Snapshot, Any]]):
    """Results, each with a snapshot of the weights that it is of. They do not go along with weights
    to other processes."""

    def __reduce__(self) -> tuple[type["_Kept"], tuple[()]]:
        return _Kept, ()


def can_keep(weights: Sequence[Tensor]) -> bool:
    """Return whether :func:`kept` keeps what is computed from these weights: the first is a
    parameter, or a part of one, on the CPU, and it is computed without gradients."""
    # With gradients a result is of one update alone. A GPU would wait for a comparison of weights.
    owner = _owner(weights)
    return (
        not torch.is_grad_enabled()
        and isinstance(owner, nn.Parameter)
        and owner.device.type == "cpu"
    )


def _owner(weights: Sequence[Tensor]) -> Tensor:
    first = weights[0]
    return first if first._base is None else first._base


def forget(weights: Iterable[Tensor]) -> None:
    """Free the memory of what was computed from weights that have changed."""
    for weight in weights:
        weight.__dict__.pop(_ATTRIBUTE, None)


def kept(what: Hashable, weights: Sequence[Tensor], make: Callable[[], T]) -> T:
    """Return ``make()``, or what it returned before if no weight has changed since.

    The result is kept with the first weight, and goes when that goes.

    Args:
        what: The result's name. It has to differ from those of other results of the same weights.
        weights: All weights that the result depends on, and other tensors, such as the masks of
            pruned weights.
        make: The computation, without gradients. Nothing in the result may be written to.
    """
    if not can_keep(weights):
        return make()
    first = weights[0]
    key = what, first.storage_offset(), first.shape, first.stride()
    results: _Kept = _owner(weights).__dict__.setdefault(_ATTRIBUTE, _Kept())
    result = results.get(key)
    if result is None or not result[0].holds(weights):
        result = results[key] = Snapshot(weights), make()
    return result[1]
