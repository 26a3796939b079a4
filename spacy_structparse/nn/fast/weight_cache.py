"""Cache values derived from weights until the weights change.

To pack or to round the weights takes longer than to multiply a short sentence by them. Nobody has
to say that weights have changed: a snapshot tells it.
"""

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from .device import current_dtype
from .private_torch import address, base_of, lazy_copy

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
            self._copies = [lazy_copy(tensor) for tensor in tensors]
            self._places = [(address(copy), copy.stride()) for copy in self._copies]

    def holds(self, tensors: Sequence[Tensor]) -> bool:
        """Return whether tensors have the values of the snapshot."""
        if len(tensors) != len(self._copies):
            return False
        for i, tensor in enumerate(tensors):
            place = address(tensor), tensor.stride()
            if (place[0] is None or place != self._places[i]) and not self._has_moved(i, tensor):
                return False
        return True

    def _has_moved(self, i: int, tensor: Tensor) -> bool:
        """Return whether a tensor has only moved: some operations of PyTorch that read, such as
        saving, count as writing."""
        copy = self._copies[i]
        if (tensor.dtype, tensor.device) != (copy.dtype, copy.device):
            return False
        if not torch.equal(tensor, copy):
            return False
        with _LOCK:
            self._copies[i] = lazy_copy(tensor)
            self._places[i] = address(self._copies[i]), self._copies[i].stride()
        return True


T = TypeVar("T")
_ATTRIBUTE = "_structparse_cache"


class _Results(dict[Hashable, tuple[Snapshot, Any]]):
    """Results, each with a snapshot of the weights that it is of. They do not go along with weights
    to other processes."""

    def __reduce__(self) -> tuple[type["_Results"], tuple[()]]:
        return _Results, ()


def can_cache(weights: Sequence[Tensor]) -> bool:
    """Return whether :func:`cached` keeps what is computed from these weights: the first is a
    parameter, or a part of one, on the CPU, and it is computed without gradients.

    A call with gradients is one of training, after which the weights are others: what was kept
    goes, so that it takes no memory meanwhile.
    """
    owner = base_of(weights[0])
    if torch.is_grad_enabled():
        owner.__dict__.pop(_ATTRIBUTE, None)
        return False
    # A GPU would wait for a comparison of weights.
    return isinstance(owner, nn.Parameter) and owner.device.type == "cpu"


def cached(name: Hashable, weights: Sequence[Tensor], make: Callable[[], T]) -> T:
    """Return ``make()``, or what it returned before if no weight has changed since.

    The result is kept with the first weight, and goes when that goes.

    Args:
        name: The result's name. It has to differ from those of other results of the same weights;
            results of another precision of the context are told apart.
        weights: All weights that the result depends on, and other tensors, such as the masks of
            pruned weights.
        make: The computation, without gradients. Nothing in the result may be written to.
    """
    if not can_cache(weights):
        return make()
    first = weights[0]
    key = name, current_dtype(), first.storage_offset(), first.shape, first.stride()
    results: _Results = base_of(first).__dict__.setdefault(_ATTRIBUTE, _Results())
    result = results.get(key)
    if result is None or not result[0].holds(weights):
        result = results[key] = Snapshot(weights), make()
    return result[1]
