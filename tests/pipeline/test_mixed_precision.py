"""`mixed_precision` trains and reads in half precision: here a CPU's bfloat16, for a GPU's."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.models.torch_model import TorchModule
from tests.helpers.pipeline_kinds import KINDS
from tests.helpers.small_parser import bare


@pytest.fixture
def half_precision(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is asked of a GPU happens on the CPU: autocast, and torch's own products."""
    autocast = torch.autocast

    def on_cpu(device_type: str, enabled: bool = True, **settings: Any) -> torch.autocast:
        settings = settings or {"dtype": torch.bfloat16}
        return autocast("cpu", enabled=enabled, **settings)

    monkeypatch.setattr(torch, "autocast", on_cpu)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    return


def modules_with_the_setting(nlp: Language) -> list[TorchModule]:
    """All but the embeddings'."""
    nodes = [node for _, pipe in nlp.pipeline for node in pipe.model.walk()]
    return [s for node in nodes for s in node.shims if "embedding" not in s.what]


@pytest.mark.parametrize("kind", KINDS)
def test_losses_are_close_and_fall(
    kind: str, twenty_trees: list[Doc], half_precision: None
) -> None:
    def losses(mixed: bool) -> list[float]:
        nlp, examples = KINDS[kind](twenty_trees[:6])
        for shim in modules_with_the_setting(nlp):
            # The setting would have gradients scaled too, which PyTorch does on a GPU alone.
            shim._mixed_precision = mixed
        sgd = nlp.create_optimizer()
        curve = []
        for _ in range(6):
            found: dict[str, float] = {}
            nlp.update(examples, sgd=sgd, losses=found)
            curve.append(sum(found.values()))
        docs = [bare(nlp.vocab, example.reference) for example in examples]
        assert len(list(nlp.pipe(docs))) == len(docs)
        return curve

    full, half = losses(False), losses(True)
    assert half[0] != full[0]
    assert half == pytest.approx(full, rel=0.05)
    assert half[-1] < half[0]
