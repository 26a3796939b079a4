"""The base of searches that compute their answers when they are asked for."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import torch

from ..fast.precision import compute_dtype, current_dtype

P = ParamSpec("P")
Answer = TypeVar("Answer")


class LazySearch:
    """A search whose answers are computed in the precision in which it was made."""

    def __init__(self) -> None:
        self.dtype = current_dtype()


def answer(
    method: Callable[Concatenate[Any, P], Answer],
) -> Callable[Concatenate[Any, P], Answer]:
    """Compute an answer of a :class:`LazySearch` as models predict, without gradients."""

    @wraps(method)
    def computed(search: LazySearch, *args: P.args, **named: P.kwargs) -> Answer:
        with torch.inference_mode(), compute_dtype(search.dtype):
            return method(search, *args, **named)

    return computed
