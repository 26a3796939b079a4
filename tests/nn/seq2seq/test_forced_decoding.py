"""Forced decoding: the probabilities of given actions, and the attention before each."""

import numpy as np
import pytest
import torch

from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.seq2seq.search import Seq2SeqSearch
from spacy_structparse.search_results import Sentences
from tests.helpers.seq2seq_cases import random_tokens, varied_seq2seq

N_WORDS = np.array([5, 3, 1])
WORDS = torch.cat(random_tokens(N_WORDS.tolist()))


def parser(attention: str, linearization: str = "bottom_up") -> Seq2Seq:
    return varied_seq2seq(linearization, attention=attention)[0]


@pytest.mark.parametrize("linearization", ["bottom_up", "top_down", "in_order"])
@pytest.mark.parametrize("attention", ["none", "probabilistic", "datt-bound", "datt-bound-head"])
@torch.inference_mode()
def test_probabilities_are_those_of_the_beam(attention, linearization):
    if attention == "datt-bound-head" and linearization != "bottom_up":
        pytest.skip("head words are read off the bottom-up stack")
    members = [(parser(attention, linearization), WORDS)]
    found = Seq2SeqSearch(members, Sentences(N_WORDS), beam_width=3).best()
    followed = Seq2SeqSearch(members, Sentences(N_WORDS)).forced(found.actions)
    totals = [one.sum() for one in followed.log_probs]
    assert totals == pytest.approx(found.log_probs.tolist(), abs=1e-4)
    for actions, log_probs, shares, n in zip(
        found.actions, followed.log_probs, followed.attention, N_WORDS, strict=True
    ):
        assert len(log_probs) == len(actions) and (log_probs <= 0).all()
        assert shares.shape == (len(actions), n + 1)
        expected = 0.0 if attention == "none" else 1.0
        assert shares.sum(1) == pytest.approx(expected, abs=1e-5)


@torch.inference_mode()
def test_deterministic_attention_is_on_the_boundaries():
    module = parser("datt-bound")
    found = Seq2SeqSearch([(module, WORDS)], Sentences(N_WORDS)).best()
    followed = Seq2SeqSearch([(module, WORDS)], Sentences(N_WORDS)).forced(found.actions)
    for actions, shares, n in zip(found.actions, followed.attention, N_WORDS, strict=True):
        boundaries = module.linearization.boundaries(actions.tolist(), int(n))
        for positions, row in zip(boundaries, shares, strict=True):
            there = positions[positions >= 0]
            counts = np.bincount(there, minlength=n + 1)
            assert row == pytest.approx(counts / len(there))


@pytest.mark.parametrize("width", [1, 3])
@torch.inference_mode()
def test_confidence_is_that_of_the_probabilities_of_the_best_actions(width: int) -> None:
    module = parser("datt-bound")
    search = Seq2SeqSearch([(module, WORDS)], Sentences(N_WORDS), width)
    confidence, best = search.confidence(), search.best()
    expected = Seq2SeqSearch([(module, WORDS)], Sentences(N_WORDS), width).best()
    assert all(map(np.array_equal, best.actions, expected.actions))
    for found, actions, log_probs, n in zip(
        confidence, best.actions, search.forced(best.actions).log_probs, N_WORDS, strict=True
    ):
        # No action closes a bracket in a bottom-up derivation.
        closing = np.zeros(len(actions))
        of_actions = module.linearization.bracket_confidence(
            actions.tolist(), int(n), log_probs, closing
        )
        assert found == pytest.approx(of_actions, rel=1e-4)
