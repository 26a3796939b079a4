"""AdaDelta as a spaCy optimizer takes the steps of torch's."""

import numpy as np
import pytest
import spacy
import torch
from thinc.api import Config


def optimizer(**settings: float | bool):
    config = {"@optimizers": "spacy-structparse.AdaDelta.v1", **settings}
    return spacy.registry.resolve({"optimizer": Config(config)})["optimizer"]


@pytest.mark.parametrize("settings", [{}, {"rho": 0.95, "eps": 1e-6}])
def test_steps_are_those_of_torch(settings: dict[str, float]) -> None:
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(4, 3)).astype("f")
    parameter = torch.nn.Parameter(torch.from_numpy(weights.copy()))
    of_torch = torch.optim.Adadelta([parameter], lr=1.0, rho=0.95, eps=1e-6)
    ours = optimizer(**settings)
    for _ in range(20):
        gradient = rng.normal(size=(4, 3)).astype("f")
        parameter.grad = torch.from_numpy(gradient.copy())
        of_torch.step()
        weights, gradient = ours((1, "W"), weights, gradient)
        assert not gradient.any()
        assert weights == pytest.approx(parameter.detach().numpy(), abs=1e-6)
