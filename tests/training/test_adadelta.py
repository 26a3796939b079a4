"""AdaDelta as a spaCy optimizer takes the steps of torch's."""

import numpy as np
import pytest
import spacy
import torch
from thinc.api import Config


def optimizer(**settings: float | bool):
    config = {"@optimizers": "spacy-structparse.AdaDelta.v1", **settings}
    return spacy.registry.resolve({"optimizer": Config(config)})["optimizer"]


@pytest.mark.parametrize("settings", [{}, {"rho": 0.8, "eps": 1e-4}, {"learn_rate": 0.5}])
def test_steps_are_those_of_torch(settings: dict[str, float]) -> None:
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(4, 3)).astype("f")
    parameter = torch.nn.Parameter(torch.from_numpy(weights.copy()))
    names = {"learn_rate": "lr"}
    reference = {"lr": 1.0, "rho": 0.95, "eps": 1e-6}
    reference |= {names.get(name, name): value for name, value in settings.items()}
    of_torch = torch.optim.Adadelta([parameter], **reference)
    ours = optimizer(**settings)
    for _ in range(20):
        gradient = rng.normal(size=(4, 3)).astype("f")
        parameter.grad = torch.from_numpy(gradient.copy())
        of_torch.step()
        weights, gradient = ours((1, "W"), weights, gradient)
        assert not gradient.any()
        assert weights == pytest.approx(parameter.detach().numpy(), abs=1e-6)


def test_averages() -> None:
    ours = optimizer(use_averages=True)
    weights = np.zeros(1, "f")
    for _ in range(5):
        weights, _ = ours((1, "W"), weights, np.ones(1, "f"))
    assert weights[0] < ours.averages[1, "W"][0] < 0
