"""Settings of `spacy-structparse.Seq2Seq.v1` that cannot be, and those that may go together."""

from typing import Any

import pytest
from spacy.ml.models import build_hash_embed_cnn_tok2vec
from thinc.api import Model

from spacy_structparse.models.seq2seq import build_seq2seq
from spacy_structparse.models.seq2seq_ensemble import build_seq2seq_ensemble
from spacy_structparse.models.translation import build_translation


def built(**settings: Any) -> Model:
    sizes = {"width": 8, "depth": 1, "embed_size": 20, "window_size": 1, "maxout_pieces": 2}
    tok2vec = build_hash_embed_cnn_tok2vec(
        **sizes, subword_features=False, pretrained_vectors=False
    )
    return build_seq2seq(tok2vec, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"word_actions": "tag"}, "word_actions is 'tag', with linearization 'bottom_up'"),
        ({"exploration": 1.5}, "exploration is 1.5, it must be from 0 to 1"),
        ({"linearization": "in_order", "exploration": 0.2}, "exploration is 0.2.*'in_order'"),
        (
            {"attention_guidance": 0.5},
            "attention_guidance is 0.5, it must be 0 with attention 'datt-bound'",
        ),
        ({"attention_guidance": -0.5, "attention": "probabilistic"}, "attention_guidance is -0.5"),
        ({"constrained": False}, "constrained is false.*not 'bottom_up' and 'datt-bound'"),
        (
            {"constrained": False, "linearization": "top_down"},
            "constrained is false.*not 'top_down' and 'datt-bound'",
        ),
        (
            {"attention": "datt-bound-head", "linearization": "top_down"},
            "attention is 'datt-bound-head'.*choose 'datt-bound'",
        ),
        ({"beam_width": 0}, "beam_width is 0"),
    ],
)
def test_settings_that_do_not_go_together(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^Seq2Seq: {message}"):
        built(**settings)


def test_members_of_an_ensemble_must_parse_together() -> None:
    bottom_up, top_down = built(), built(linearization="top_down")
    for members, message in (
        ({}, "no members"),
        ({"a": built().layers[0]}, "member 'a' is no"),
        ({"a": bottom_up, "b": top_down}, "'a': 'bottom_up', 'b': 'top_down'"),
    ):
        with pytest.raises(ValueError, match=message):
            build_seq2seq_ensemble(members)


@pytest.mark.parametrize(
    "settings", [{"max_ratio": -1.0}, {"length_penalty": -0.5}, {"label_smoothing": 1.0}]
)
def test_a_translator_has_bounds(settings: dict[str, float]) -> None:
    (name,) = settings
    with pytest.raises(ValueError, match=name):
        build_translation(built().get_ref("tok2vec"), **settings)
