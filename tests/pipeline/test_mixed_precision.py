"""`mixed_precision` trains and reads in half precision: here a CPU's bfloat16, for a GPU's."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.models.torch_model import TorchModule
from tests.helpers.small_lm import lm_pipeline
from tests.helpers.small_parser import bare, examples_of, small_pipeline
from tests.helpers.small_translator import pairs, translator
from tests.helpers.small_trees import tree_pipeline

Made = tuple[Language, list[Example]]


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


def _dependencies(parser: str, **settings: Any) -> Callable[[list[Doc]], Made]:
    def make(docs: list[Doc]) -> Made:
        settings.setdefault("bfloat16", False)
        nlp = small_pipeline(lambda nlp: examples_of(nlp, docs), parser, **settings)
        return nlp, examples_of(nlp, docs)

    return make


def _trees(**settings: Any) -> Callable[[list[Doc]], Made]:
    def make(docs: list[Doc]) -> Made:
        nlp = tree_pipeline(lambda nlp: examples_of(nlp, docs), **settings)
        return nlp, examples_of(nlp, docs)

    return make


def _language(**model: Any) -> Callable[[list[Doc]], Made]:
    def make(docs: list[Doc]) -> Made:
        nlp = lm_pipeline(lambda nlp: examples_of(nlp, docs), model={"bfloat16": False, **model})
        return nlp, examples_of(nlp, docs)

    return make


def _translator(**model: Any) -> Callable[[list[Doc]], Made]:
    def make(_: list[Doc]) -> Made:
        nlp = translator(6, **model)
        return nlp, pairs(nlp, 6)

    return make


KINDS: dict[str, Callable[[list[Doc]], Made]] = {
    "stack_lstm_dep": _dependencies("stack_lstm_dep"),
    "stack_lstm_dep with all": _dependencies(
        "stack_lstm_dep", encoder_width=16, direct=True, exploration=1.0, beam_width=2
    ),
    "stack_lstm_dep, paper": _dependencies("stack_lstm_dep", cell="paper"),
    **{
        f"spa_dep, {attention}": _dependencies("spa_dep", attention=attention, distance=True)
        for attention in ("none", "vanilla", "tob", "bot")
    },
    "spa_dep, concat": _dependencies("spa_dep", scorer="concat", encoder="bigru"),
    "spa_dep, transition": _dependencies("spa_dep, transition"),
    "trees": _trees(),
    "trees, heads": _trees(attention="datt-bound-head", heads="learned", encoder="bigru"),
    "trees, top down": _trees(
        linearization="top_down", attention="probabilistic", attention_guidance=0.5
    ),
    "trees, paper": _trees(
        linearization="top_down", attention="probabilistic", encoder="lstm", cell="paper"
    ),
    "trees, in order": _trees(linearization="in_order", attention="none", decoder="gru"),
    "trees, phrases": _trees(pyramid="all", beam_width=2),
    "trees, exploration": _trees(exploration=1.0, label_smoothing=0.1),
    "language model, none": _language(pyramid="none"),
    "language model": _language(),
    "language model, minimal": _language(pyramid="words", cell="minimal"),
    "language model, update": _language(cell="update", feed=False),
    "translator": _translator(),
    "translator, phrases": _translator(pyramid="last", attention_query="current", decoder="lstm"),
}


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
