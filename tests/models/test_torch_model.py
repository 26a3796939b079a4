"""The wrapper's loss, decoding and exploration."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from thinc.api import ArgsKwargs
from torch import nn

from spacy_structparse.models.torch_model import TorchModule


class Linear(nn.Module):
    """A model whose batch is a factor."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, tokens: torch.Tensor, batch: float) -> torch.Tensor:
        assert self.training
        return (tokens * self.weight * batch).sum(1)


def explore(module: Linear, tokens: torch.Tensor, batch: float) -> float:
    """Explored batches are negative."""
    assert not module.training
    assert not torch.is_grad_enabled()
    assert not tokens.requires_grad
    return -batch


def decode(
    module: Linear, tokens: torch.Tensor, query: float, settings: Mapping[str, Any]
) -> torch.Tensor:
    assert not module.training
    return tokens.sum(1) * query * settings["width"]


def shim_of(exploration: float) -> TorchModule:
    settings = {"exploration": exploration, "width": 2}
    shim = TorchModule(
        lambda _: Linear(), "line", settings=settings, decode=decode, explore=explore
    )
    shim.create({})
    return shim


TOKENS = np.ones((3, 2), dtype="f")


@pytest.mark.parametrize(("exploration", "sign"), [(0.0, 1), (1.0, -1)])
def test_training_learns_from_the_gold_or_from_explored_states(
    exploration: float, sign: int
) -> None:
    shim = shim_of(exploration)
    tokens = torch.from_numpy(TOKENS).requires_grad_()
    losses, backprop = shim.begin_update(ArgsKwargs((tokens, 3.0), {}))
    assert losses.tolist() == [6 * sign] * 3
    gradient = backprop(ArgsKwargs(((losses,),), {"grad_tensors": (torch.ones(3),)}))
    assert gradient.args[0].tolist() == [[3 * sign] * 2] * 3
    assert shim.module.weight.grad.tolist() == [18 * sign]
