"""The settings of `spacy-structparse.Adam.v1`, and what does not fit."""

from contextvars import ContextVar
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language

from spacy_structparse.training import optimizers
from spacy_structparse.training.optimizers import Adam, component_places
from tests.helpers.small_parser import TAGGER


@pytest.fixture(scope="module")
def pipeline() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tagger", config=TAGGER).add_label("NN")
    nlp.initialize()
    return nlp


def test_biases_and_norms_have_no_weight_decay() -> None:
    optimizer = Adam(0.1, L2=0.5)
    shapes = {
        "W": (2, 3),
        "b": (2, 3),
        "layer.weight": (2, 3),
        "layer.bias": (1, 3),
        "norm.weight": (3,),
    }
    decayed = set()
    for name, shape in shapes.items():
        weights, _ = optimizer((1, name), np.ones(shape, "f"), np.zeros(shape, "f"))
        decayed |= {name} if (weights != 1).any() else set()
    assert decayed == {"W", "layer.weight"}
    assert optimizer.L2 == 0.5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"factors": {"tagger": 0.0}}, r"factors of 'tagger' is 0\.0"),
        ({"factors": {"tagger": -1.0}}, r"factors of 'tagger' is -1\.0"),
        ({"factors": {"tagger": float("nan")}}, "factors of 'tagger' is nan"),
        ({"layer_decay": 0.0}, r"layer_decay is 0\.0"),
        ({"layer_decay": 1.1}, r"layer_decay is 1\.1"),
        ({"initial_share": {"tagger": 1.0}}, r"'tagger' is 1\.0"),
        ({"initial_share": {"tagger": 0.5}, "use_averages": False}, r"'tagger' is 0\.5"),
    ],
)
def test_settings_that_are_none(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=rf"\[training\.optimizer\].* {message}"):
        Adam(0.1, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"factors": {"tager": 0.5}}, "'tager' is not in the pipeline; .* are tagger"),
        ({"factors": {"sentencizer": 0.5}}, "'sentencizer' has no weights; .* are tagger"),
        ({"layer_decay": 0.5}, r"layer_decay = 0\.5 .* has one \(tagger\)"),
    ],
)
def test_settings_that_do_not_fit_the_pipeline(
    pipeline: Language, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=rf"\[training\.optimizer\].*{message}"):
        Adam(0.1, **settings).set_pipeline(pipeline)


def test_a_weight_of_another_pipeline(pipeline: Language) -> None:
    optimizer = Adam(0.1, factors={"tagger": 0.5})
    optimizer.set_pipeline(pipeline)
    with pytest.raises(ValueError, match=r"'W' belongs to no component .*\(sentencizer, tagger\)"):
        optimizer((-1, "W"), np.ones((2, 2), "f"), np.ones((2, 2), "f"))


def test_averages_hold_a_share_of_the_weights_before_training(pipeline: Language) -> None:
    optimizers = [
        Adam(0.1, initial_share=share) for share in ({"tagger": 0.25}, {"tagger": 0.0}, {})
    ]
    model = pipeline.get_pipe("tagger").model
    node, name = next((node, name) for node in model.walk() for name in node.param_names)
    key = (node.id, name)
    averages = []
    for optimizer in optimizers:
        optimizer.set_pipeline(pipeline)
        weights = np.full((2, 2), 3.0, "f")
        for gradient in (1.0, -2.0, 0.5, 1.0, -0.5):
            weights, _ = optimizer(key, weights, np.full((2, 2), gradient, "f"))
        assert optimizer.averages is not None
        averages.append(optimizer.averages[key])
    np.testing.assert_allclose(averages[0], 0.25 * 3.0 + 0.75 * averages[2], rtol=0.01)
    np.testing.assert_array_equal(averages[1], averages[2])
    assert (averages[2] != 3.0).all()


def test_averages_are_those_of_trained_weights_from_the_first_update_on(pipeline: Language) -> None:
    """Training scores and may save them then; those of thinc begin at zero."""
    optimizer = Adam(0.001, initial_share={"tagger": 0.5})
    optimizer.set_pipeline(pipeline)
    key = next(iter(component_places(pipeline)))
    optimizer(key, np.full((2, 2), 3.0, "f"), np.ones((2, 2), "f"))
    assert optimizer.averages is not None
    np.testing.assert_allclose(optimizer.averages[key], 3.0, atol=0.001)


def test_without_the_callback_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimizers, "_TRAINED", ContextVar("none", default=None))
    optimizer = Adam(0.1, factors={"tagger": 0.5})
    with pytest.raises(ValueError, match=r"before_update.*rates_by_component"):
        optimizer((1, "W"), np.ones((2, 2), "f"), np.ones((2, 2), "f"))
