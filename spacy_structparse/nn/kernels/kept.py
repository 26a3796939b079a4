"""What is computed from weights alone, kept as long as the weights stay as they are.

To pack or to round the weights takes longer than to multiply a short sentence by them.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from .snapshot import Snapshot

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
