"""Weights and the configuration of their module, compared before anything of its size is made.

A file of weights says how large its module is. Were it believed, a few bytes could ask for any
amount of memory, or for a day of making layers.
"""

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook
from torch.overrides import TorchFunctionMode

HalfType = Literal["float16", "bfloat16"]


def stored(state: Mapping[str, Tensor], half: HalfType | None) -> dict[str, Tensor]:
    """Return weights as they are stored: on the host, each in memory of its own, also one that has
    several names; and in half precision, but for those that are too large for it.

    Args:
        state: Weights by name.
        half: The type. None: that of each.
    """
    tensors: dict[str, Tensor] = {}
    places: set[int] = set()
    for name, weight in state.items():
        tensor = weight.detach().cpu().contiguous()
        if half is not None and tensor.dtype == torch.float32:
            small = tensor.to(getattr(torch, half))
            tensor = small if small.isfinite().equal(tensor.isfinite()) else tensor
        tensors[name] = tensor.clone() if tensor.data_ptr() in places else tensor
        places.add(tensor.data_ptr())
    return tensors


def in_single(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of half precision in single precision, the others as they are."""
    halves = (torch.float16, torch.bfloat16)
    return {name: t.float() if t.dtype in halves else t for name, t in tensors.items()}


def rounded_to_half(array: Any) -> Any:
    """Return an array with the precision of float16 and its own type, or as it is."""
    if array.dtype != "float32" or not array.size or abs(array).max() > np.finfo("float16").max:
        return array
    return array.astype("float16").astype("float32")


# Parameters that a module may register for each tensor of its file: it may replace some.
_PER_TENSOR = 4
# Fills a tensor with random numbers, in place.
_FILL = (nn.init.normal_, Tensor.normal_, Tensor.uniform_)
# Weights of a module: 200 layers have fewer.
_MOST_TENSORS = 2_000


def check_weights(
    build: Callable[[dict[str, Any]], nn.Module],
    config: dict[str, Any],
    tensors: Mapping[str, Tensor],
) -> None:
    """Check that tensors are the finite weights of the module that a configuration describes.

    The module is made without memory for its weights, on torch's device "meta".

    Args:
        build: Makes the module.
        config: Its configuration.
        tensors: Its weights, by name.

    Raises:
        ValueError: A weight is not finite, or not of the module's type; or there are too many, or
            fewer than the module has.
        RuntimeError: Names or shapes differ.
    """
    if len(tensors) > _MOST_TENSORS:
        raise ValueError(f"there are {len(tensors)} weights; a model has {_MOST_TENSORS} at most")
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not tensor.isfinite().all():
            raise ValueError(f"{name} has values that are not finite numbers")
    with _at_most(_PER_TENSOR * len(tensors)), torch.device("meta"), _Unfilled():
        module = build(dict(config))
    types = {tensor.dtype for tensor in module.state_dict().values()}
    for name, tensor in tensors.items():
        if tensor.dtype not in types:
            expected = " or ".join(sorted(str(kind) for kind in types))
            raise ValueError(f"{name} is of the type {tensor.dtype}, where {expected} is needed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # nothing is copied, says torch
        module.load_state_dict(dict(tensors))


class _Unfilled(TorchFunctionMode):
    """Within it nothing is filled with random numbers.

    On the device "meta" torch has random numbers in Python alone, and imports its compiler for
    them, which takes longer than loading a pipeline.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Tensor:
        kwargs = kwargs or {}
        if func in _FILL:
            return args[0] if args else kwargs["tensor"]
        return (torch.empty if func is torch.randn else func)(*args, **kwargs)


@contextmanager
def _at_most(most: int) -> Iterator[None]:
    """Within it no module of this thread may register more parameters."""
    thread, n = threading.get_ident(), 0

    def count(module: nn.Module, name: str, parameter: Any) -> None:
        nonlocal n
        if threading.get_ident() == thread:
            n += 1
            if n > most:
                raise ValueError(f"the model has more than the {most // _PER_TENSOR} weights there")

    handle = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        handle.remove()
