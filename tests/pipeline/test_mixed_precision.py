"""`mixed_precision` scales the loss, and drops gradients that overflow."""

import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import fix_random_seed
from thinc.api import PyTorchGradScaler

from spacy_structparse.models.torch_model import TorchModule
from tests.helpers.pipeline_kinds import KINDS


def modules_with_the_setting(nlp: Language) -> list[TorchModule]:
    """All but the embeddings'."""
    nodes = [node for _, pipe in nlp.pipeline for node in pipe.model.walk()]
    return [s for node in nodes for s in node.shims if "embedding" not in s.what]


@pytest.fixture
def scaled_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thinc scales gradients on a GPU alone; here on the CPU too."""

    def scale(
        self: PyTorchGradScaler, tensor: torch.Tensor, scales: dict, inplace: bool
    ) -> torch.Tensor:
        return tensor.mul_(self._scale)

    monkeypatch.setattr(PyTorchGradScaler, "_scale_tensor", scale)


def scale_gradients(nlp: Language, scale: float = 2.0**16) -> list[TorchModule]:
    """What `mixed_precision = true` does with gradients, without its autocast."""
    shims = modules_with_the_setting(nlp)
    for shim in shims:
        shim._mixed_precision = True
        shim._grad_scaler = PyTorchGradScaler(True, init_scale=scale)
    return shims


@pytest.fixture
def no_autocast(monkeypatch: pytest.MonkeyPatch) -> None:
    autocast = torch.autocast
    monkeypatch.setattr(
        torch, "autocast", lambda device, *args, **settings: autocast(device, enabled=False)
    )


@pytest.mark.parametrize("max_words", [20_000, 20])
def test_scaled_gradients_are_those_of_the_loss(
    max_words: int, twenty_trees: list[Doc], scaled_gradients: None, no_autocast: None
) -> None:
    """A batch of more than `max_words` is computed in parts, whose gradients are added."""

    def gradients(scaled: bool) -> torch.Tensor:
        nlp, examples = KINDS["stack_lstm_dep"](twenty_trees[:6])
        nlp.get_pipe("arcs").max_words = max_words
        if scaled:
            scale_gradients(nlp)
        fix_random_seed(0)
        nlp.update(examples, sgd=False)
        modules = [shim.module for shim in modules_with_the_setting(nlp)]
        found = [p.grad for module in modules for p in module.parameters() if p.grad is not None]
        return torch.cat([gradient.flatten() for gradient in found])

    torch.testing.assert_close(gradients(True), gradients(False), rtol=1e-4, atol=1e-6)


def test_gradients_that_overflow_leave_an_update_out(
    twenty_trees: list[Doc], scaled_gradients: None, no_autocast: None
) -> None:
    nlp, examples = KINDS["stack_lstm_dep"](twenty_trees[:6])
    shims = scale_gradients(nlp, scale=torch.finfo(torch.float32).max)
    before = [p.detach().clone() for shim in shims for p in shim.module.parameters()]
    nlp.update(examples, sgd=nlp.create_optimizer())
    after = [p for shim in shims for p in shim.module.parameters()]
    torch.testing.assert_close(after, before, rtol=0, atol=0)
    for shim in shims:
        assert shim._grad_scaler._scale < torch.finfo(torch.float32).max
        shim._grad_scaler = PyTorchGradScaler(True)
    nlp.update(examples, sgd=nlp.create_optimizer())
    assert any(not torch.equal(*pair) for pair in zip(after, before, strict=True))
