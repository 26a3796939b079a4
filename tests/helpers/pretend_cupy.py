"""Arrays of the pretend GPU, for Thinc: they behave as CuPy's do and are numpy's inside.

As with CuPy, an array of the device does not become one of the host unless it is asked to, by
``get``; arrays of both do not mix; and whatever makes a number of one waits for the device.
"""

import contextlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import thinc.util
import torch
from numpy.lib.mixins import NDArrayOperatorsMixin
from thinc.api import NumpyOps, Ops, get_current_ops, set_current_ops
from torch import Tensor

from tests.helpers.pretend_gpu import is_ours, on_device, on_host, pretend_gpu, wait

# They make arrays of the device from those of the host.
FROM_HOST = {"asarray", "array", "ascontiguousarray"}
# They read where to cut on the host.
CUTTING = {"split", "array_split"}
# Modules of these may have what is replaced under a name of their own.
READING_DEVICE = ("thinc", "spacy", "spacy_structparse", "spacy_transformers")


class DeviceArray(NDArrayOperatorsMixin):
    """An array of the device.

    Args:
        held: Its numbers.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: np.ndarray) -> None:
        self.held = held

    def get(self) -> np.ndarray:
        wait("get")
        return self.held.copy()

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct "
            "a NumPy array explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _on_arrays(getattr(ufunc, method))(*inputs, **kwargs)

    def __array_function__(self, function: Any, kinds: Any, args: Any, kwargs: Any) -> Any:
        return _on_arrays(function)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # numpy would read the memory by them
            raise AttributeError(name)
        value = getattr(self.held, name)
        return _on_arrays(value) if callable(value) else _wrapped(value)

    def __getitem__(self, key: Any) -> Any:
        return _on_arrays(self.held.__getitem__, from_host=True)(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _on_arrays(self.held.__setitem__, from_host=True)(key, value)

    def __len__(self) -> int:
        return len(self.held)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __float__(self) -> float:
        return float(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __bool__(self) -> bool:
        return bool(self.get())

    def item(self) -> Any:
        return self.get().item()

    def tolist(self) -> Any:
        return self.get().tolist()


class _Namespace:
    """The functions of numpy, for arrays of the device."""

    ndarray = DeviceArray

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, types.ModuleType):
            return _Namespace(value)
        if isinstance(value, type) or not callable(value):
            return value
        return _on_arrays(value, name in FROM_HOST, name in CUTTING)


class PretendOps(Ops):
    """Thinc's operations on the device, those of any array library."""

    name = "pretend"
    xp: Any = _Namespace(np)

    def __init__(self, device_type: Any = "gpu", device_id: int = 0, **kwargs: Any) -> None:
        super().__init__(device_type, device_id)

    def to_numpy(self, data: Any, *, byte_order: str | None = None) -> Any:
        data = data.get() if isinstance(data, DeviceArray) else data
        return super().to_numpy(data, byte_order=byte_order)

    def clip_gradient(self, gradient: Any, threshold: float) -> Any:
        norm = self.xp.sqrt((gradient * gradient).sum())
        gradient *= self.xp.minimum(1.0, threshold / (norm + 1e-12))
        return gradient

    def scatter_add(self, table: Any, indices: Any, values: Any) -> Any:
        _on_arrays(np.add.at, from_host=True)(table, indices, values)
        return table

    def reduce_mean(self, X: Any, lengths: Any) -> Any:
        return _on_arrays(NumpyOps().reduce_mean)(X, lengths)

    def backprop_reduce_mean(self, d_means: Any, lengths: Any) -> Any:
        return _on_arrays(NumpyOps().backprop_reduce_mean)(d_means, lengths)


def _wrapped(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return DeviceArray(np.asarray(value))
    return value


def _on_arrays(
    function: Callable[..., Any], from_host: bool = False, cuts: bool = False
) -> Callable[..., Any]:
    """A function of numpy as one of arrays of the device."""

    def held(x: Any) -> Any:
        if isinstance(x, DeviceArray):
            return x.held
        if isinstance(x, list | tuple):
            return type(x)(map(held, x))
        if isinstance(x, np.ndarray) and not (from_host or cuts):
            raise TypeError(f"Unsupported type {type(x)}")
        return x

    def call(*args: Any, **kwargs: Any) -> Any:
        result = function(*map(held, args), **{key: held(x) for key, x in kwargs.items()})
        out = kwargs.get("out")
        if out is not None:
            return out[0] if isinstance(out, tuple) else out
        return [*map(_wrapped, result)] if cuts else _wrapped(result)

    return call


def _from_torch(tensor: Tensor, *, ops: Any = None) -> Any:
    """Thinc's ``torch2xp``: the same memory."""
    if is_ours(tensor):
        return DeviceArray(on_host(tensor.detach()).numpy())
    return tensor.detach().numpy()


def _to_torch(array: Any, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Thinc's ``xp2torch``: the same memory, if it is of the device."""
    if isinstance(array, DeviceArray):
        tensor = on_device(torch.from_numpy(array.held))
    else:
        tensor = torch.from_numpy(array).to(device or pretend_gpu())
    return tensor.requires_grad_() if requires_grad else tensor


@contextlib.contextmanager
def on_pretend_gpu() -> Iterator[None]:
    """Make the pretend GPU the device of Thinc and PyTorch, as ``spacy.require_gpu`` does."""
    device, ops = pretend_gpu(), PretendOps()
    replaced: dict[str, Any] = {
        "get_torch_default_device": lambda: device,
        "torch2xp": _from_torch,
        "xp2torch": _to_torch,
        "get_array_ops": lambda x: ops if isinstance(x, DeviceArray) else NumpyOps(),
    }
    before = get_current_ops()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thinc.util, "has_cupy", True)
        patch.setattr(thinc.util, "cupy", PretendOps.xp)
        for module in [m for key, m in sys.modules.items() if key.split(".")[0] in READING_DEVICE]:
            for name in replaced.keys() & vars(module).keys():
                patch.setattr(module, name, replaced[name])
        set_current_ops(ops)
        try:
            yield
        finally:
            set_current_ops(before)
