"""Without PyTorch's private functions results are the same."""

from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from spacy_structparse.nn.fast import private_torch, weight_cache
from spacy_structparse.nn.fast.linear import linear
from spacy_structparse.nn.fast.sequences import Sequences
from spacy_structparse.nn.fast.weight_cache import cached
from spacy_structparse.nn.layers.lstm import LSTM


@pytest.fixture
def documented_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PyTorch without private functions."""
    monkeypatch.setattr(private_torch, "_MKLDNN", SimpleNamespace())
    monkeypatch.delattr(torch, "_lazy_clone")
    monkeypatch.setattr(weight_cache, "address", lambda tensor: None)
    monkeypatch.setattr(torch, "cpu", SimpleNamespace())


@torch.inference_mode()
def outputs(layer: nn.Linear, lstm: LSTM, x: torch.Tensor) -> list[torch.Tensor]:
    before = [torch.zeros(lstm.hidden)] * 2
    read = lstm.read(x, before, Sequences(np.array([300, 150, 50])))
    return [linear(x, layer.weight, layer.bias), read]


def test_products(request: pytest.FixtureRequest) -> None:
    torch.manual_seed(0)
    layer, lstm, x = nn.Linear(80, 120), LSTM(80, 24), torch.randn(500, 80)
    expected = outputs(layer, lstm, x)
    request.getfixturevalue("documented_torch")
    assert not private_torch.cpu_has_bfloat16.__wrapped__()
    # Copies have no packed weights yet.
    found = outputs(deepcopy(layer), deepcopy(lstm), x)
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)


def test_weights_that_change(documented_torch: None) -> None:
    weight = nn.Parameter(torch.arange(4.0))
    with torch.no_grad():
        first = cached("doubled", [weight], lambda: weight * 2)
        assert cached("doubled", [weight], lambda: weight * 2) is first
        weight.data[1] = 8
        assert cached("doubled", [weight], lambda: weight * 2).tolist() == [0, 16, 4, 6]
