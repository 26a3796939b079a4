"""Results of weights that are kept until the weights change."""

import weakref
from collections.abc import Callable
from io import BytesIO
from multiprocessing.reduction import ForkingPickler

import pytest
import torch
from torch import Tensor, nn

from spacy_structparse.nn.fast.linear import fast_linear
from spacy_structparse.nn.fast.weight_cache import cached
from tests.helpers.precision import in_bfloat16


def doubled(weight: Tensor) -> Tensor:
    return cached("doubled", [weight], lambda: weight * 2)


def in_place(weight: nn.Parameter) -> None:
    with torch.no_grad():
        weight.add_(1)


def in_inference_mode(weight: nn.Parameter) -> None:
    with torch.inference_mode():
        weight.add_(1)


def by_an_update(weight: nn.Parameter) -> None:
    with torch.enable_grad():
        weight.sum().backward()
    torch.optim.SGD([weight], lr=0.5).step()


def by_numpy(weight: nn.Parameter) -> None:
    weight.detach().numpy()[1] = 5


CHANGES = [in_place, in_inference_mode, by_an_update, by_numpy]


@pytest.mark.parametrize("change", CHANGES)
def test_a_result_is_kept_until_its_weight_changes(change: Callable[[nn.Parameter], None]) -> None:
    weight = nn.Parameter(torch.arange(4.0))
    with torch.inference_mode():
        first = doubled(weight)
        assert doubled(weight) is first
    change(weight)
    with torch.inference_mode():
        assert doubled(weight).tolist() == (weight * 2).tolist()


def test_an_old_view_changes_a_weight_again_and_again() -> None:
    weight = nn.Parameter(torch.arange(4.0))
    view = weight.data
    with torch.inference_mode():
        for value in (5.0, 6.0):
            doubled(weight)
            view[1] = value
            assert doubled(weight).tolist() == [0, 2 * value, 4, 6]


def test_weights_in_shared_memory() -> None:
    """PyTorch cannot copy it on write, and processes that start anew get their weights so."""
    weight = nn.Parameter(torch.arange(4.0)).share_memory_()
    with torch.no_grad():
        first = doubled(weight)
        assert doubled(weight) is first
        weight.data[1] = 8
        assert doubled(weight).tolist() == [0, 16, 4, 6]


def test_saving_is_no_change() -> None:
    weight = nn.Parameter(torch.arange(4.0))
    with torch.no_grad():
        first = doubled(weight)
        torch.save(weight, BytesIO())
        assert doubled(weight) is first
        weight.data[1] = 8
        assert doubled(weight).tolist() == [0, 16, 4, 6]


def test_nothing_is_kept_with_gradients_or_of_other_tensors() -> None:
    weight = nn.Parameter(torch.arange(4.0))
    assert doubled(weight) is not doubled(weight)
    assert doubled(weight).requires_grad
    with torch.no_grad():
        made = weight + 1
        assert doubled(made) is not doubled(made)


def test_weights_go_to_other_processes_without_results() -> None:
    """Where processes start anew, as on macOS, `n_process` sends them the weights."""
    weight = nn.Parameter(torch.arange(4.0))
    with torch.no_grad():
        cached("a function", [weight], lambda: lambda: None)
        sent = ForkingPickler.dumps(weight)
        assert doubled(ForkingPickler.loads(sent)).tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("bfloat16", [False, True])
def test_a_weight_goes_with_its_products(bfloat16: bool) -> None:
    layer = nn.Linear(64, 32)
    with torch.inference_mode(), in_bfloat16(bfloat16):
        fast_linear(torch.ones(100, 64), layer.weight, layer.bias)
        fast_linear(torch.ones(100, 64), layer.weight[:16], layer.bias[:16])
    weight = weakref.ref(layer.weight)
    del layer
    assert weight() is None
