"""Results of weights that are kept until the weights change."""

import weakref
from collections.abc import Callable
from multiprocessing.reduction import ForkingPickler

import pytest
import torch
from torch import Tensor, nn

from spacy_structparse.nn.kernels.kept import forget, kept
from spacy_structparse.nn.kernels.packed_linear import project


def doubled(weight: Tensor) -> Tensor:
    return kept("doubled", [weight], lambda: weight * 2)


def in_place(weight: nn.Parameter) -> None:
    with torch.no_grad():
        weight.add_(1)


def by_an_update(weight: nn.Parameter) -> None:
    with torch.enable_grad():
        weight.sum().backward()
    torch.optim.SGD([weight], lr=0.5).step()


def by_loading(weight: nn.Parameter) -> None:
    holder = nn.ParameterList([weight])
    holder.load_state_dict({"0": torch.full_like(weight, 7.0)})


def by_its_data(weight: nn.Parameter) -> None:
    weight.data.fill_(9.0)
    forget([weight])


CHANGES = [in_place, by_an_update, by_loading, by_its_data]


@pytest.mark.parametrize("change", CHANGES)
def test_a_result_is_kept_until_its_weight_changes(change: Callable[[nn.Parameter], None]) -> None:
    weight = nn.Parameter(torch.arange(4.0))
    with torch.inference_mode():
        first = doubled(weight)
        assert doubled(weight) is first
    change(weight)
    with torch.inference_mode():
        assert doubled(weight).tolist() == (weight * 2).tolist()


def test_parts_of_one_weight_have_results_of_their_own() -> None:
    weight = nn.Parameter(torch.arange(6.0).view(2, 3))
    with torch.no_grad():
        rows = [doubled(weight[i]).tolist() for i in (0, 1, 0)]
        assert rows == [[0, 2, 4], [6, 8, 10], [0, 2, 4]]
        assert doubled(weight[:, 1:]).tolist() == [[2, 4], [8, 10]]
        in_place(weight)
        assert doubled(weight[1]).tolist() == [8, 10, 12]


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
        kept("a function", [weight], lambda: lambda: None)
        sent = ForkingPickler.dumps(weight)
        assert doubled(ForkingPickler.loads(sent)).tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("bfloat16", [False, True])
def test_a_weight_goes_with_its_products(bfloat16: bool) -> None:
    layer = nn.Linear(64, 32)
    with torch.inference_mode():
        project(torch.ones(100, 64), layer.weight, layer.bias, bfloat16)
        project(torch.ones(100, 64), layer.weight[:16], layer.bias[:16], bfloat16)
    weight = weakref.ref(layer.weight)
    del layer
    assert weight() is None


@pytest.mark.parametrize("bfloat16", [False, True])
def test_products_follow_their_weights(bfloat16: bool) -> None:
    """Enough rows for packed weights, and numbers that bfloat16 has."""
    layer = nn.Linear(64, 32)
    x = torch.eye(64).repeat(80, 1)
    for value in (1.0, -3.0):
        nn.init.constant_(layer.weight, value)
        nn.init.constant_(layer.bias, 2 * value)
        with torch.inference_mode():
            found = project(x, layer.weight, layer.bias, bfloat16)
        assert found.eq(3 * value).all()
