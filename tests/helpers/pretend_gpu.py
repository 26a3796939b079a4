"""A pretend GPU: a device of PyTorch whose memory is the host's.

Its tensors say that they are on another device, and PyTorch refuses what it refuses on a GPU: an
operation of tensors on two devices. Numbers are computed by the CPU's kernels, so that training and
decoding run as they do elsewhere. Whenever the host waits for the device, it is counted.

PyTorch keeps the name ``privateuse1`` free for such a device. Its tensors own memory of the host:
they come from a CPU tensor by DLPack, with another device written into the capsule.
"""

import contextlib
import ctypes
import sys
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch._C import TensorType
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.dlpack import from_dlpack

NAME = "pretend_gpu"
DLPACK_CPU, DLPACK_PRIVATEUSE1 = 1, 12
# They allocate memory of a size that depends on values: the host waits for the device.
WAITING = {
    "aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select", "aten::multinomial",
    "aten::_unique2", "aten::unique_dim", "aten::unique_consecutive", "aten::bincount",
    "aten::equal",
}  # fmt: skip
INDEXED = {"aten::_index_put_impl_", "aten::index_put_"}
TAKING_NUMBERS = {*INDEXED, "aten::fill_.Tensor"}
# Lengths of a packed sequence are on the host by its definition.
READ_ON_HOST = {"aten::_pack_padded_sequence", "aten::_pad_packed_sequence"}


RECURRENT = [
    getattr(getattr(torch.ops.aten, name), overload)
    for name in ("lstm", "gru")
    for name, overload in ((name, "input"), (name, "data"), (f"{name}_cell", "default"))
]


# Modules of these may have what is replaced under a name of their own.
ON_DEVICE = ("thinc", "spacy", "spacy_structparse", "spacy_transformers")


class MixedDevicesError(RuntimeError):
    """An operation whose tensors are on two devices."""


_counters: list[list[str]] = []


@contextlib.contextmanager
def counted_waits() -> Iterator[list[str]]:
    """Collect the operations of a block at which the host waits for the device."""
    waits: list[str] = []
    _counters.append(waits)
    try:
        yield waits
    finally:
        _counters.remove(waits)


def on_host(tensor: Tensor) -> Tensor:
    """The memory of a tensor of the device as a tensor of the CPU. Not counted."""
    return _relabelled(tensor, DLPACK_CPU)


def on_device(tensor: Tensor) -> Tensor:
    """The memory of a tensor of the CPU as one of the device. Not counted."""
    return _relabelled(tensor, DLPACK_PRIVATEUSE1)


@cache
def pretend_gpu() -> torch.device:
    """The device. The first call registers it with PyTorch for the rest of the process."""
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

    _setup_privateuseone_for_python_backend(NAME)
    fallback = torch.library.Library("_", "IMPL")
    fallback.fallback(_compute, "PrivateUse1")
    aten = torch.library.Library("aten", "IMPL")
    aten.impl("copy_", _copy, "PrivateUse1")
    # They call fused kernels on a GPU, which the CPU does not have.
    for op in RECURRENT:
        for key in ("PrivateUse1", "AutogradPrivateUse1"):
            aten.impl(op._name, partial(_recurrent, op), key)
    _libraries.extend([fallback, aten])
    return torch.device(NAME, 0)


_libraries: list[torch.library.Library] = []  # what they register is gone when they are


class _Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("index", ctypes.c_int32))


class _Managed(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("device", _Device))


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


def _relabelled(tensor: Tensor, device: int) -> Tensor:
    capsule = torch._C._to_dlpack(tensor)
    named = _Managed.from_address(_pointer(capsule, b"dltensor")).device
    named.type, named.index = device, 0
    return from_dlpack(capsule)


def is_ours(x: object) -> bool:
    return isinstance(x, Tensor) and x.device.type == NAME


def _compute(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Any operation: by the kernel of the CPU, on the same memory."""
    schema = op._schema
    _refuse_tensors_of_host(op, args, kwargs)
    if _waits(op, args, kwargs):
        wait(schema.name)
    given: dict[int, tuple[Tensor, Tensor]] = {}

    def lowered(x: Any) -> Any:
        if is_ours(x):
            lower = on_host(x)
            given[id(lower)] = lower, x
            return lower
        return torch.device("cpu") if isinstance(x, torch.device) and x.type == NAME else x

    def raised(x: Any) -> Any:
        if not isinstance(x, Tensor):
            return x
        return given[id(x)][1] if id(x) in given else on_device(x)

    # PyTorch gives a number where the operation takes a tensor of one.
    lower_args = [
        torch.tensor(x) if isinstance(x, int | float) and isinstance(of.type, TensorType) else x
        for x, of in zip(tree_map(lowered, args), schema.arguments, strict=False)
    ]
    lower_kwargs = tree_map(lowered, kwargs)
    # The memory of an empty output cannot grow: it gets new memory.
    grown = {
        of.name: torch.empty_like(lower_kwargs[of.name])
        for of in schema.arguments
        if of.is_out and not kwargs[of.name].numel()
    }
    result = op(*lower_args, **{**lower_kwargs, **grown})
    for name, memory in grown.items():
        kwargs[name].data = on_device(memory)
        given[id(memory)] = memory, kwargs[name]
    # A view counts the changes of its base, which a tensor made in inference mode cannot.
    is_view = any(of.alias_info is not None for of in schema.returns)
    counts = is_view and not any(x.is_inference() for _, x in given.values())
    with torch.inference_mode(False) if counts else contextlib.nullcontext():
        return tree_map(raised, result)


class _Relabel(torch.autograd.Function):
    """The same memory on the other device, with its gradient."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor) -> Tensor:
        return on_host(tensor) if is_ours(tensor) else on_device(tensor)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return on_host(gradient) if is_ours(gradient) else on_device(gradient)


def _recurrent(op: Any, *args: Any) -> Any:
    """A recurrent network by the CPU's kernels."""
    results = op(*tree_map(lambda x: _Relabel.apply(x) if is_ours(x) else x, args))
    return tree_map(_Relabel.apply, results)


def _copy(target: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    if is_ours(source) and not is_ours(target):
        wait("copy")
    lower, raw = (on_host(x) if is_ours(x) else x for x in (target, source))
    lower.copy_(raw)
    return target


def _refuse_tensors_of_host(op: Any, args: Any, kwargs: Any) -> None:
    """Pointwise operations take numbers of the host, as on a GPU."""
    name = op._schema.name
    tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
    strange = [x for x in tensors if not is_ours(x)]
    if strange and (torch.Tag.pointwise in op.tags or name in TAKING_NUMBERS):
        strange = [x for x in strange if x.ndim]
    if strange and name not in READ_ON_HOST:
        raise MixedDevicesError(
            f"{name} reads tensors on {NAME} and on {strange[0].device}, of shape "
            f"{tuple(strange[0].shape)}"
        )


def _waits(op: Any, args: Any, kwargs: Any) -> bool:
    """Whether memory is of a size that values decide: also where a mask says what is written, and
    where rows are repeated as often as a tensor says, without the number of all."""
    name = op._schema.name
    if name in INDEXED and args[2].numel() != 1:
        return any(x is not None and x.dtype in (torch.bool, torch.uint8) for x in args[1])
    repeats = str(op) == "aten.repeat_interleave.Tensor" and kwargs.get("output_size") is None
    return name in WAITING or repeats


def wait(operation: str) -> None:
    """Count an operation at which the host waits."""
    for waits in _counters:
        waits.append(operation)


def _from_torch(tensor: Tensor, *, ops: Any = None) -> np.ndarray:
    """Thinc's ``torch2xp``: the same memory. Thinc's arrays stay on the host."""
    tensor = tensor.detach()
    return (on_host(tensor) if is_ours(tensor) else tensor).numpy()


def _to_torch(array: np.ndarray, requires_grad: bool = False, device: Any = None) -> Tensor:
    """Thinc's ``xp2torch``: the same memory, on the device."""
    return on_device(torch.from_numpy(array)).requires_grad_(requires_grad)


@contextlib.contextmanager
def on_pretend_gpu() -> Iterator[None]:
    """Make the pretend GPU the device of PyTorch's models, as ``spacy.require_gpu`` does."""
    device = pretend_gpu()
    replaced: dict[str, Any] = {
        "get_torch_default_device": lambda: device,
        "torch2xp": _from_torch,
        "xp2torch": _to_torch,
    }
    with pytest.MonkeyPatch.context() as patch:
        for module in [m for key, m in sys.modules.items() if key.split(".")[0] in ON_DEVICE]:
            for name in replaced.keys() & vars(module).keys():
                patch.setattr(module, name, replaced[name])
        yield
