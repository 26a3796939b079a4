"""Settings of `spacy-structparse.Seq2Seq.v1` that cannot be, and those that may go together."""

from typing import Any

import pytest
from spacy.ml.models import build_hash_embed_cnn_tok2vec
from thinc.api import Model

from spacy_structparse.models.checks import choices
from spacy_structparse.models.seq2seq import WORD_ACTIONS, build_seq2seq
from spacy_structparse.nn.seq2seq.action_decoder import N_POSITIONS
from spacy_structparse.transitions.constituency.registry import LINEARIZATIONS

CHOICES = choices(build_seq2seq)


def built(**settings: Any) -> Model:
    tok2vec = build_hash_embed_cnn_tok2vec(
        width=8,
        depth=1,
        embed_size=20,
        window_size=1,
        maxout_pieces=2,
        subword_features=False,
        pretrained_vectors=False,
    )
    return build_seq2seq(tok2vec, **settings)


@pytest.mark.parametrize("name", CHOICES)
def test_a_value_that_is_none_of_the_choices(name: str) -> None:
    with pytest.raises(ValueError) as caught:
        built(**{name: "other"})
    message = f"Seq2Seq: {name} is 'other', choose one of {', '.join(CHOICES[name])}"
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"linearization": "top_down", "word_actions": "punctuation"},
            "word_actions is 'punctuation', with linearization 'top_down' choose one or tag",
        ),
        (
            {"linearization": "in_order", "word_actions": "tag"},
            "word_actions is 'tag', with linearization 'in_order' choose one or punctuation",
        ),
        (
            {"word_actions": "tag"},
            "word_actions is 'tag', with linearization 'bottom_up' choose one",
        ),
        (
            {"exploration": 1.5},
            "exploration is 1.5, linearization 'bottom_up': it must be from 0 to 1",
        ),
        ({"exploration": -0.1}, "exploration is -0.1"),
        (
            {"linearization": "in_order", "exploration": 0.2},
            "exploration is 0.2, linearization 'in_order'.* 0 with any other than 'bottom_up'",
        ),
        (
            {"attention_guidance": 0.5},
            "attention_guidance is 0.5, attention 'datt-bound': it must be at least 0, and 0 with "
            "any other than 'probabilistic'",
        ),
        (
            {"attention_guidance": -0.5, "attention": "probabilistic"},
            "attention_guidance is -0.5",
        ),
        (
            {"constrained": False},
            "constrained is false, which takes linearization 'top_down' and attention 'none' or "
            "'probabilistic', not 'bottom_up' and 'datt-bound'",
        ),
        (
            {"constrained": False, "linearization": "in_order", "attention": "none"},
            "constrained is false.*not 'in_order' and 'none'",
        ),
        (
            {"constrained": False, "linearization": "top_down"},
            "constrained is false.*not 'top_down' and 'datt-bound'",
        ),
        (
            {"attention": "datt-bound-head", "linearization": "top_down"},
            "attention is 'datt-bound-head', which only linearization 'bottom_up' has heads for, "
            "not 'top_down': choose 'datt-bound'",
        ),
        ({"beam_width": 0}, "beam_width is 0, it must be at least 1"),
    ],
)
def test_settings_that_do_not_go_together(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^Seq2Seq: {message}"):
        built(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"linearization": "top_down", "attention": "probabilistic", "constrained": False},
        {"linearization": "top_down", "attention": "datt-bound"},
        {"linearization": "in_order", "attention": "datt-bound", "word_actions": "punctuation"},
        {"linearization": "top_down", "attention": "probabilistic", "attention_guidance": 0.5},
        {"attention": "datt-bound-head", "heads": "rightmost"},
        {"attention": "datt-bound-head", "exploration": 1.0},
    ],
)
def test_settings_that_go_together(settings: dict[str, Any]) -> None:
    model = built(**settings)
    kept = model.get_ref("parser").shims[0].settings
    assert {name: kept[name] for name in settings} == settings


def test_every_linearization_and_attention_can_be_chosen() -> None:
    assert set(CHOICES["linearization"]) == set(LINEARIZATIONS) == set(WORD_ACTIONS)
    assert set(CHOICES["attention"]) == {"none", "probabilistic", *N_POSITIONS}
