"""A parser learns, and training settings have the effect that the config promises."""

import math
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Adam, Optimizer

from tests.helpers.small_parser import (
    HASHED,
    NAME,
    examples_of,
    small_pipeline,
    step_of,
    train,
    weights_of,
)


def same(one: dict[Any, np.ndarray], other: dict[Any, np.ndarray]) -> bool:
    return all(np.array_equal(one[key], other[key]) for key in one.keys() | other.keys())


def adam(use_averages: bool = False) -> Optimizer:
    return Adam(0.01, use_averages=use_averages)


def test_twenty_sentences_are_learned(trained: Language, twenty: list[Doc]) -> None:
    scores = trained.evaluate(examples_of(trained, twenty))
    assert scores["dep_uas"] >= 0.99
    assert scores["dep_las"] >= 0.99
    assert scores["dep_las_nopunct"] >= 0.99
    assert scores["dep_las_per_type"]["nsubj"]["f"] >= 0.99
    assert scores["sents_f"] == 1.0


def test_averages_are_used_and_given_back(untrained: Language, twenty: list[Doc]) -> None:
    optimizer = adam(use_averages=True)
    train(untrained, examples_of(untrained, twenty), 5, sgd=optimizer)
    raw = weights_of(untrained)
    with untrained.use_params(optimizer.averages):
        averaged = weights_of(untrained)
        stored = untrained.to_bytes()
    assert not any(np.array_equal(raw[key], averaged[key]) for key in raw if raw[key].any())
    assert same(weights_of(untrained), raw)
    loaded = spacy.blank("en").from_config(untrained.config).from_bytes(stored)
    assert same(weights_of(loaded), averaged)
    with pytest.raises(RuntimeError), untrained.use_params(optimizer.averages):
        raise RuntimeError
    assert same(weights_of(untrained), raw)


def test_a_rate_that_stays_zero_is_warned_of_once(twenty: list[Doc]) -> None:
    """A schedule with a warm-up begins with it, and a loop may forget to step it."""
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty))
    optimizer = Adam(0.0)
    nlp.update(examples_of(nlp, twenty), sgd=optimizer)  # as `spacy train` does
    with pytest.warns(UserWarning, match=r"learning rate is 0\.0.*step_schedules") as caught:
        for _ in range(3):
            nlp.update(examples_of(nlp, twenty), sgd=optimizer)
    assert len(caught) == 1


def test_updates_without_an_optimizer_accumulate(twenty: list[Doc]) -> None:
    """As spaCy's training loop does with accumulate_gradient."""
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty), tok2vec={"unk_prob": 0.0})
    component = nlp.get_pipe(NAME)
    component.grad_clip = 0.0
    before = weights_of(nlp)
    module = component.model.get_ref("parser").shims[0].module
    nlp.update(examples_of(nlp, twenty[:10]), sgd=False)
    half = module.state_s.weight.grad.clone()
    nlp.update(examples_of(nlp, twenty[:10]), sgd=False)
    assert np.allclose(module.state_s.weight.grad, 2 * half, rtol=1e-3, atol=1e-6)
    assert same(weights_of(nlp), before)
    component.finish_update(adam())
    assert not same(weights_of(nlp), before)
    assert module.state_s.weight.grad is None or not module.state_s.weight.grad.any()


def test_a_component_is_updated_by_itself(twenty: list[Doc]) -> None:
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty))
    component = nlp.get_pipe(NAME)
    before = weights_of(nlp)
    assert component.update(examples_of(nlp, twenty[:4]), sgd=adam())[NAME] > 0
    assert not same(weights_of(nlp), before)


@pytest.mark.parametrize("skip", [True, False])
def test_a_gradient_that_is_not_finite_changes_nothing(twenty: list[Doc], skip: bool) -> None:
    """Batches that are finite may add up to a gradient that is not."""
    nlp = small_pipeline(lambda nlp: examples_of(nlp, twenty[:4]), tok2vec=HASHED)
    component = nlp.get_pipe(NAME)
    component.skip_bad_batches = skip
    before = weights_of(nlp)
    for _ in range(2):
        nlp.update(examples_of(nlp, twenty[:4]), sgd=False)
    parameter = next(component.model.get_ref("parser").shims[0].module.parameters())
    parameter.grad.fill_(math.inf)
    with nullcontext() if skip else pytest.raises(ValueError, match="E910"):
        component.finish_update(adam())
    assert same(weights_of(nlp), before)
    assert component.skipped["batches that are not finite"] == skip


def test_a_bad_batch_leaves_the_gradients_of_thinc(twenty: list[Doc]) -> None:
    nlp, other = (
        small_pipeline(lambda nlp: examples_of(nlp, twenty[:4]), tok2vec=HASHED) for _ in range(2)
    )
    component = nlp.get_pipe(NAME)
    component.skip_bad_batches = True
    batch = examples_of(nlp, twenty[:4])
    nlp.update(batch, sgd=False)
    parameter = next(component.model.get_ref("parser").shims[0].module.parameters())
    good = parameter.data.clone()
    parameter.data.fill_(math.nan)
    nlp.update(batch, sgd=False)
    parameter.data.copy_(good)
    np.testing.assert_allclose(step_of(nlp, NAME), step_of(other, NAME, batch), atol=1e-6)


def test_components_that_are_not_trained_are_saved(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("spa_dep")
    component.to_disk(tmp_path / "alone")
    component.from_disk(tmp_path / "alone")
    component.model.to_cpu()
    component.finish_update(adam())
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    with pytest.raises(ValueError, match="E109"):
        loaded("The cook stirs")
