"""Models that write words: losses, decoding and beams are those of the equations."""

from typing import Any

import numpy as np
import pytest
import torch

from spacy_structparse.nn.seq2seq import model as seq2seq
from spacy_structparse.nn.seq2seq.decoder_state import DecoderState
from spacy_structparse.nn.seq2seq.search import Seq2SeqSearch
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.word_sequence import END, UNKNOWN, WordSequence
from tests.helpers.seq2seq_cases import (
    check_against_twin,
    forced,
    random_actions,
    random_tokens,
    small_seq2seq,
    varied_seq2seq,
)

RNNSEARCH: dict[str, Any] = {"attention": "probabilistic", "attention_query": "previous"}
KINDS: list[dict[str, Any]] = [
    RNNSEARCH,
    {**RNNSEARCH, "pyramid": "last", "pyramid_width": 5},
    {**RNNSEARCH, "pyramid": "all", "pyramid_width": 5, "decoder": "lstm", "decoder_depth": 2},
    {"attention": "probabilistic"},
    {"attention": "none"},
]


@pytest.mark.parametrize("settings", KINDS, ids=lambda s: "-".join(map(str, s.values())))
def test_loss_and_gradients(settings: dict[str, Any]) -> None:
    check_against_twin("words", **settings)


@pytest.mark.parametrize("together", [20, 32_000_000])
def test_losses_of_many_words(monkeypatch: pytest.MonkeyPatch, together: int) -> None:
    """A large vocabulary's scores may not fit into memory together."""
    monkeypatch.setattr(seq2seq, "MANY_OUTPUTS", 0)
    monkeypatch.setattr(seq2seq, "SCORES_TOGETHER", together)
    check_against_twin("words", **RNNSEARCH, label_smoothing=0.1)
    paper = {"attention": "none", "decoder": "lstm", "cell": "paper"}
    check_against_twin("words", **paper, label_smoothing=0.1)


@pytest.mark.parametrize("settings", KINDS, ids=lambda s: "-".join(map(str, s.values())))
@pytest.mark.parametrize(("penalty", "width"), [(0.0, 1), (1.0, 2), (0.6, 5), (0.0, 5)])
@torch.no_grad()
def test_decoding(settings: dict[str, Any], penalty: float, width: int) -> None:
    model, twin = varied_seq2seq("words", **settings)
    lengths = [5, 4, 4, 1]
    tokens = random_tokens(lengths)
    members, sentences = [(model, torch.cat(tokens))], Sentences(np.array(lengths))
    found = Seq2SeqSearch(members, sentences, width, length_penalty=penalty).best()
    expected = [twin.beam(sentence, width, penalty) for sentence in tokens]
    assert [actions.tolist() for actions in found.actions] == [actions for actions, _ in expected]
    if width > 1:
        assert found.log_probs == pytest.approx([total for _, total in expected], abs=1e-8)


@torch.no_grad()
def test_a_large_vocabulary_is_looked_up_step_by_step() -> None:
    model, twin = varied_seq2seq("words", **RNNSEARCH)
    tokens = random_tokens([3])
    expected = twin.greedy(tokens[0])
    encoded = model.encode(tokens[0], np.array([3]))
    reader = DecoderState(model, encoded, 1)
    assert reader.equations.action_map is None
    model.linearization.max_ratio = -3.0  # type: ignore[attr-defined]
    reader = DecoderState(model, encoded, 1)
    assert reader.equations.action_map is not None
    previous, taken = len(model.linearization), []
    for _ in expected:
        scores = reader.step(torch.tensor([previous]), None)
        scores[:, UNKNOWN] = -torch.inf
        previous = int(scores.argmax())
        taken.append(previous)
    assert taken == expected


def test_dropout_at_the_output_alone() -> None:
    """The paper's: it leaves what the decoder reads as it is."""
    model, _ = small_seq2seq("words", **RNNSEARCH, dropout_places="output")
    lengths = [4, 2]
    actions, tokens = random_actions(model, lengths), torch.cat(random_tokens(lengths))
    batch = forced(model, lengths, actions)
    without = model(tokens, batch)
    model.train()
    model.dropout = 0.5
    assert (model(tokens, batch) - without).abs().max() > 1e-3
    first, second = (
        model.forced_states(
            model.encode(tokens, batch.n_words), batch, model.actions(batch.previous)
        )[0]
        for _ in "12"
    )
    for one, other in zip(first, second, strict=True):
        torch.testing.assert_close(one, other)


def test_words_and_actions() -> None:
    words = WordSequence(["the", "dog"])
    assert words.oracle(["the", "cat"]) == [2, UNKNOWN, END]
    assert words.words([3, 2, END, 3]) == ["dog", "the"]
    assert words.words([3, 3]) == ["dog", "dog"]
    assert WordSequence(["</s>", "<unk>"]).oracle(["<unk>", "</s>"]) == [3, 2, END]
