"""The values that tensors had, compared with those they have now."""

import threading
from collections.abc import Sequence

import torch
from torch import Tensor

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
