"""The precision of fast products follows the context in which they are made."""

from threading import Thread

import pytest
import torch
from torch import Tensor, nn

from spacy_structparse.nn.fast import device
from spacy_structparse.nn.fast.device import current_dtype, fast_dtype, recomputed
from spacy_structparse.nn.fast.linear import fast_linear, linear
from tests.helpers.precision import in_bfloat16


def small_layer() -> tuple[nn.Linear, Tensor]:
    torch.manual_seed(0)
    return nn.Linear(50, 60), torch.randn(20, 50)


def test_exact_products_are_exact_in_any_context() -> None:
    layer, x = small_layer()
    expected = linear(x, layer.weight, layer.bias)
    with in_bfloat16():
        assert linear(x, layer.weight, layer.bias).equal(expected)
        assert not fast_linear(x, layer.weight, layer.bias).equal(expected)
    assert fast_linear(x, layer.weight, layer.bias).equal(expected)


def test_double_precision_and_processors_without_instructions_stay_exact() -> None:
    with in_bfloat16():
        assert fast_dtype(torch.zeros(1)) == torch.bfloat16
        assert fast_dtype(torch.zeros(1).double()) == torch.float64
        assert fast_dtype(torch.zeros(1, device="meta")) == torch.float32


def test_recomputation_has_the_precision_of_the_first_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Autograd computes again after the context has ended, and on the same processor."""
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: True)
    layer, x = small_layer()
    gradients = []
    for compute in (lambda run, x: run(x), recomputed):
        with in_bfloat16():
            y = compute(lambda x: fast_linear(x, layer.weight, layer.bias).tanh(), x)
        gradients.append(torch.autograd.grad(y.sum(), [layer.weight, layer.bias]))
    assert all(map(torch.equal, *gradients))


def test_a_context_is_that_of_one_thread() -> None:
    seen = []
    with in_bfloat16():
        thread = Thread(target=lambda: seen.append(current_dtype()))
        thread.start()
        thread.join()
    assert seen == [None]
