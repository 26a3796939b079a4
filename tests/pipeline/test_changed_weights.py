"""A pipeline whose weights were changed after a parse parses as one that never parsed before."""

import json
from collections.abc import Callable, Iterator

import pytest
import spacy
import torch
from spacy.language import Language
from thinc.api import Model
from torch import nn
from torch.nn.utils import prune

from tests.helpers.paths import SAVED
from tests.helpers.saved_outputs import difference, docs_of, outputs_of

KINDS = sorted(path.name for path in SAVED.iterdir() if path.is_dir())
SENTENCE = "The old man told us that his daughters had never seen the sea before they moved."


def models(nlp: Language) -> Iterator[Model]:
    for _, pipe in nlp.pipeline:
        if isinstance(model := getattr(pipe, "model", None), Model):
            yield from model.walk()


def modules(nlp: Language) -> list[nn.Module]:
    shims = dict.fromkeys(shim for model in models(nlp) for shim in model.shims)
    return [shim._model for shim in shims if shim._model is not None]


def noise(nlp: Language) -> None:
    """Add noise to all weights, those of Thinc's layers too."""
    generator = torch.Generator().manual_seed(0)
    for model in dict.fromkeys(models(nlp)):
        for name in model.param_names:
            if model.has_param(name):
                weights = torch.tensor(model.get_param(name))
                size = 0.7 * weights.square().mean().sqrt()
                weights += size * torch.randn(weights.shape, generator=generator)
                model.set_param(name, weights.numpy())
    for module in modules(nlp):
        for weight in module.parameters():
            size = 0.7 * weight.data.square().mean().sqrt()
            weight.data.add_(size * torch.randn(weight.shape, generator=generator))


def a_state_dict(nlp: Language) -> None:
    for module in modules(nlp):
        state = module.state_dict()
        module.load_state_dict({name: x.flip(0) if x.dim() else x for name, x in state.items()})


def averages(nlp: Language) -> None:
    for module in modules(nlp):
        for weight in module.parameters():
            weight.data = (weight.data + weight.data.flip(0)) / 2 if weight.dim() else weight.data


def rounding(nlp: Language) -> None:
    """Round to half precision, after a change large enough to be seen."""
    for module in modules(nlp):
        nn.utils.vector_to_parameters(
            -nn.utils.parameters_to_vector(module.parameters()), module.parameters()
        )
        module.half().float()


def pruning(nlp: Language) -> None:
    """Set the smallest half of each weight to zero; the weight is then no parameter any more."""
    for module in modules(nlp):
        for part in list(module.modules()):
            for name, weight in list(part.named_parameters(recurse=False)):
                if weight.dim() > 1:
                    prune.l1_unstructured(part, name, amount=0.5)


def parses(nlp: Language, specs: list[dict]) -> list:
    """A sentence alone and a batch: they are computed in different ways."""
    docs = docs_of(nlp.vocab, specs)
    return outputs_of(nlp, [nlp(docs[0]), *nlp.pipe(docs[1:])])


@pytest.mark.parametrize("name", KINDS)
def test_all_weights_of_every_component(name: str) -> None:
    check(name, noise)


@pytest.mark.parametrize("change", [a_state_dict, averages, rounding, pruning])
@pytest.mark.parametrize("name", ["spa_bot_biaffine", "trees_bottom_up_datt"])
def test_every_change(name: str, change: Callable[[Language], None]) -> None:
    check(name, change)


def check(name: str, change: Callable[[Language], None]) -> None:
    specs = json.loads((SAVED / name / "expected.json").read_text(encoding="utf-8"))["docs"]
    nlp, other = spacy.load(SAVED / name), spacy.load(SAVED / name)
    before = parses(nlp, specs)
    change(nlp)
    change(other)
    after = parses(nlp, specs)
    assert difference(after, parses(other, specs)) is None
    assert difference(after, before) is not None
