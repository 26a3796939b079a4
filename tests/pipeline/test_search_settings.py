"""Settings of the search, changed on a loaded pipeline."""

from typing import Any

import numpy as np
import pytest
import spacy

from tests.helpers.paths import SAVED

PIPES = {
    "trees_bottom_up_datt": "seq2seq_constituency",
    "stack_torch_direct": "stack_lstm_dep",
    "translation_bigru": "seq2seq_translation",
}


@pytest.mark.parametrize(("saved", "name"), PIPES.items())
@pytest.mark.parametrize("width", ["x", "2", 0, -1, 2.5, None, True])
def test_a_beam_width_is_a_whole_number(saved: str, name: str, width: Any) -> None:
    pipe = spacy.load(SAVED / saved).get_pipe(name)
    before = pipe.beam_width
    with pytest.raises(ValueError, match=rf"\[{name}\]: beam_width is .* whole number"):
        pipe.beam_width = width
    assert pipe.beam_width == before
    pipe.beam_width = np.int64(3)
    assert pipe.beam_width == 3


@pytest.mark.parametrize("penalty", ["x", None, -0.5, float("nan"), float("inf")])
def test_a_length_penalty_is_a_number(penalty: Any) -> None:
    pipe = spacy.load(SAVED / "translation_bigru").get_pipe("seq2seq_translation")
    with pytest.raises(ValueError, match=r"length_penalty is .* at least 0"):
        pipe.length_penalty = penalty


def test_a_decoder_is_one_of_two() -> None:
    with pytest.raises(ValueError, match=r"\[spa_dep\] decoder is 'chart'"):
        spacy.blank("en").add_pipe("spa_dep", config={"decoder": "chart"})
