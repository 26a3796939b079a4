"""The outer model: any ``tok2vec`` below the parser."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from thinc.api import Model

from spacy_structparse.models.stack_lstm import build_stack_lstm


def vectors_of_width(width: int) -> Model:
    """Like spacy-transformers' listener: its width is not known before it has run."""

    def forward(model: Model, docs: list[Doc], is_train: bool) -> tuple:
        return [np.ones((len(doc), width), dtype="f") for doc in docs], lambda d_output: docs

    return Model("late", forward)


def test_width_is_read_from_the_output() -> None:
    model = build_stack_lstm(vectors_of_width(7))
    model.attrs["labels"] = ["det"]
    model.initialize(X=[Doc(spacy.blank("en").vocab, words=["a", "b"])])
    assert model.get_ref("parser").shims[0].cfg["n_input"] == 7


def test_labels_come_from_the_component() -> None:
    model = build_stack_lstm(vectors_of_width(7))
    with pytest.raises(ValueError, match=r"stack_lstm.*no labels"):
        model.initialize(X=[Doc(spacy.blank("en").vocab, words=["a", "b"])])


@pytest.mark.parametrize(
    "setting", ["hidden_width", "hidden_depth", "state_width", "encoder_depth"]
)
def test_sizes_of_a_stack_lstm_are_at_least_one(setting: str) -> None:
    with pytest.raises(ValueError, match=f"StackLSTM: {setting} is 0, it must be at least 1"):
        build_stack_lstm(vectors_of_width(7), **{setting: 0})


def test_a_share_of_explored_batches_is_a_share() -> None:
    with pytest.raises(ValueError, match="exploration is 1"):
        build_stack_lstm(vectors_of_width(7), exploration=1.5)
