"""Training settings have the effect that the config promises."""

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Adam, Optimizer

from tests.helpers.small_parser import (
    NAME,
    examples_of,
    small_pipeline,
    train,
)


def weights(nlp: Language, name: str = NAME) -> list[np.ndarray]:
    """A copy of all torch weights."""
    return [
        p.detach().numpy().copy()
        for node in nlp.get_pipe(name).model.walk()
        for shim in node.shims
        for p in shim.module.parameters()
    ]


def same(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def adam(use_averages: bool = False) -> Optimizer:
    return Adam(0.01, use_averages=use_averages)


def test_averages_are_used_and_given_back(untrained: Language, twenty: list[Doc]) -> None:
    optimizer = adam(use_averages=True)
    train(untrained, examples_of(untrained, twenty), 5, sgd=optimizer)
    raw = weights(untrained)
    with untrained.use_params(optimizer.averages):
        averaged = weights(untrained)
        stored = untrained.to_bytes()
    assert not any(np.array_equal(a, b) for a, b in zip(raw, averaged, strict=True) if a.any())
    assert same(weights(untrained), raw)
    loaded = spacy.blank("en").from_config(untrained.config).from_bytes(stored)
    assert same(weights(loaded), averaged)
    with pytest.raises(RuntimeError), untrained.use_params(optimizer.averages):
        raise RuntimeError
    assert same(weights(untrained), raw)


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
    before = weights(nlp)
    module = component.model.get_ref("parser").shims[0].module
    nlp.update(examples_of(nlp, twenty[:10]), sgd=False)
    half = module.state_s.weight.grad.clone()
    nlp.update(examples_of(nlp, twenty[:10]), sgd=False)
    assert np.allclose(module.state_s.weight.grad, 2 * half, rtol=1e-3, atol=1e-6)
    assert same(weights(nlp), before)
    component.finish_update(adam())
    assert not same(weights(nlp), before)
    assert module.state_s.weight.grad is None or not module.state_s.weight.grad.any()
