"""What is computed from weights alone, kept as long as the weights stay as they are.

To pack or to round the weights takes longer than to multiply a short sentence by them.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

T = TypeVar("T")
_ATTRIBUTE = "_structparse_kept"


class _Kept(dict[Hashable, tuple[list[tuple[int, int]], Any]]):
    """Results, each with the state of the weights that it is of. They do not go along with weights
    to other processes."""

    def __reduce__(self) -> tuple[type["_Kept"], tuple[()]]:
        return _Kept, ()


def can_keep(weights: Sequence[Tensor]) -> bool:
    """Return whether :func:`kept` keeps what is computed from these weights: they are parameters,
    or parts of parameters, and it is computed without gradients."""
    # With gradients a result is of one update alone. Inference tensors count no changes.
    return not torch.is_grad_enabled() and all(
        isinstance(weight if weight._base is None else weight._base, nn.Parameter)
        and not weight.is_inference()
        for weight in weights
    )


def forget(weights: Iterable[Tensor]) -> None:
    """Forget what was computed from weights that have changed. All weights of a result are given:
    one does not know which result is of which."""
    for weight in weights:
        weight.__dict__.pop(_ATTRIBUTE, None)


def kept(what: Hashable, weights: Sequence[Tensor], make: Callable[[], T]) -> T:
    """Return ``make()``, or what it returned before if no weight has changed since.

    The result is kept with the first weight, and goes when that goes. PyTorch counts the changes of
    a tensor in place, but not those of ``weight.data``: whoever changes that calls :func:`forget`.

    Args:
        what: The result's name. It has to differ from those of other results of the same weights.
        weights: All weights that the result depends on.
        make: The computation, without gradients. Nothing in the result may be written to.
    """
    if not can_keep(weights):
        return make()
    first = weights[0]
    owner = first if first._base is None else first._base
    key = what, first.storage_offset(), first.shape, first.stride()
    state = [(weight.data_ptr(), weight._version) for weight in weights]
    results: _Kept = owner.__dict__.setdefault(_ATTRIBUTE, _Kept())
    found = results.get(key)
    if found is None or found[0] != state:
        found = results[key] = state, make()
    return found[1]
