"""Weights are checked before their module is made."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn

from spacy_structparse.errors import WeightsError
from spacy_structparse.models.torch_model import TorchModule


def build(config: dict[str, Any]) -> nn.Module:
    layers = [nn.Linear(config["width"], config["width"]) for _ in range(config["depth"])]
    return nn.Sequential(*layers)


def shim(width: int = 3, depth: int = 2) -> TorchModule:
    made = TorchModule(build, "test model")
    made.create({"width": width, "depth": depth})
    return made


def stored(change: dict[str, Any], **tensors: torch.Tensor) -> bytes:
    """The file of a small module, with another configuration or other tensors."""
    made = shim()
    made.cfg = {**made.cfg, **change}
    state = {**made.module.state_dict(), **tensors}
    made.module.state_dict = lambda: state  # type: ignore[assignment,method-assign]
    return made.to_bytes()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"width": 2**40}, "overflowed"),
        ({"width": 10**7}, "size mismatch"),
        ({"depth": 10**9}, "more than the 4 weights"),
        ({"depth": 1}, "Unexpected key"),
        ({"width": -1}, "do not fit"),
        ({"width": "wide"}, "do not fit"),
    ],
)
def test_a_configuration_that_asks_for_more_than_there_is(
    change: dict[str, Any], problem: str
) -> None:
    with pytest.raises(WeightsError, match=problem):
        TorchModule(build, "test model").from_bytes(stored(change))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (torch.tensor([1.0, torch.nan, 0.0]), "0.bias has values that are not finite"),
        (torch.tensor([1.0, -torch.inf, 0.0]), "0.bias has values that are not finite"),
        (torch.zeros(3, dtype=torch.int64), "0.bias is of the type torch.int64"),
        (torch.zeros(3, dtype=torch.float64), "0.bias is of the type torch.float64"),
    ],
)
def test_numbers_that_are_no_weights(value: torch.Tensor, problem: str) -> None:
    with pytest.raises(WeightsError, match=problem):
        TorchModule(build, "test model").from_bytes(stored({}, **{"0.bias": value}))


@pytest.mark.slow
def test_a_check_does_not_import_the_compiler() -> None:
    """Random numbers of the device "meta" would: seconds of a process that loads a pipeline."""
    code = """
import sys
from torch import nn
from spacy_structparse.models.weights import check_weights
from spacy_structparse.nn.layers.encoder import Encoder

def build(config):
    return nn.Sequential(nn.Embedding(3, 2), Encoder("bilstm", 4, 3, 1))

check_weights(build, {}, build({}).state_dict())
assert not {"torch._dynamo", "sympy"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_more_weights_than_any_model_has() -> None:
    with pytest.raises(WeightsError, match="2002 weights"):
        TorchModule(build, "test model").from_bytes(shim(depth=1001).to_bytes())
