"""Greedy and beam decoding: the naive search, alone and in any batch, and always a tree."""

import itertools
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.seq2seq import search as seq2seq_search
from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.seq2seq.search import Seq2SeqSearch
from spacy_structparse.search_results import Derivations, Sentences
from spacy_structparse.transitions.constituency.interface import check_brackets
from tests.helpers.precision import in_bfloat16
from tests.helpers.seq2seq_cases import (
    LINEARIZATIONS,
    random_tokens,
    small_seq2seq,
    varied_seq2seq,
)

ATTENTIONS = ("none", "probabilistic", "datt-bound", "datt-bound-head")
CASES = list(itertools.product(LINEARIZATIONS, ATTENTIONS))
SOME = [
    ("bottom_up", "datt-bound-head"),
    ("top_down", "probabilistic"),
    ("in_order", "datt-bound"),
    ("bottom_up", "none"),
]


@torch.no_grad()
def parse(parser: Seq2Seq, tokens: list[Tensor], width: int = 1) -> Derivations:
    """What is found for sentences given longest first."""
    lengths = np.array([len(sentence) for sentence in tokens])
    return Seq2SeqSearch([(parser, torch.cat(tokens))], Sentences(lengths), width).best()


def sequences(parser: Seq2Seq, tokens: list[Tensor], width: int = 1) -> list[list[int]]:
    return [actions.tolist() for actions in parse(parser, tokens, width).actions]


def check_trees(parser: Seq2Seq, tokens: list[Tensor], found: list[list[int]]) -> None:
    """Every output is a tree over exactly the words of its sentence."""
    assert len(found) == len(tokens)
    for sentence, actions in zip(tokens, found, strict=True):
        n = len(sentence)
        assert len(actions) <= parser.linearization.max_steps(n)
        check_brackets(parser.linearization.brackets(actions, n), n)


@pytest.mark.parametrize(("name", "attention"), CASES)
def test_greedy_is_the_naive_loop(name: str, attention: str) -> None:
    decoder = "lstm" if name == "top_down" else "gru"
    parser, twin = varied_seq2seq(name, attention=attention, decoder=decoder)
    tokens = random_tokens([4, 3, 3, 1])
    assert sequences(parser, tokens) == [twin.greedy(sentence) for sentence in tokens]


@pytest.mark.parametrize(
    ("lengths", "seed"), [([1], 0), ([2], 1), ([7], 2), ([6, 5, 1], 0), ([6, 5, 1], 1)]
)
def test_single_sentences_are_those_of_a_batch(
    monkeypatch: pytest.MonkeyPatch, lengths: list[int], seed: int
) -> None:
    """A few sentences are decoded one after the other, many together."""
    parser, twin = varied_seq2seq(seed=seed, attention="datt-bound", decoder="lstm")
    tokens = random_tokens(lengths, seed)
    found = sequences(parser, tokens)
    assert found == [twin.greedy(sentence) for sentence in tokens]
    calls: list[bool] = []
    monkeypatch.setattr(seq2seq_search, "can_use_single_path", lambda *_: calls.append(True))
    assert sequences(parser, tokens) == found
    assert calls


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_in_bfloat16_single_sentences_are_those_of_a_batch(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    parser, _ = varied_seq2seq(seed=seed, attention="datt-bound", decoder="lstm")
    parser, tokens = parser.float(), [sentence.float() for sentence in random_tokens([6, 5, 1])]
    with in_bfloat16():
        greedy = sequences(parser, tokens)
        monkeypatch.setattr(seq2seq_search, "can_use_single_path", lambda *_: False)
        monkeypatch.setattr("spacy_structparse.nn.fast.linear.WORTH_A_CALL", 1)
        assert sequences(deepcopy(parser), tokens) == greedy
    check_trees(parser, tokens, greedy)


@pytest.mark.parametrize(
    "settings",
    [
        {"decoder": "gru"},
        {"decoder": "lstm", "decoder_depth": 2},
        {"decoder": "lstm", "cell": "paper"},
        {"decoder": "lstm", "readout_width": 0},
        {"decoder": "lstm", "attention": "datt-bound-head"},
        {"decoder": "lstm", "attention": "none"},
        {"decoder": "lstm", "pyramid": "last", "pyramid_width": 5},
    ],
)
def test_a_single_sentence_of_any_model(settings: dict[str, Any]) -> None:
    parser, twin = varied_seq2seq(**{"attention": "datt-bound", **settings})
    tokens = random_tokens([5])
    assert sequences(parser, tokens) == [twin.greedy(tokens[0])]


@pytest.mark.parametrize(("name", "attention"), SOME)
@pytest.mark.parametrize("pyramid", ["last", "all"])
def test_with_phrases_too(name: str, attention: str, pyramid: str) -> None:
    parser, twin = varied_seq2seq(name, attention=attention, pyramid=pyramid, pyramid_width=5)
    tokens = random_tokens([4, 3, 3, 1])
    assert sequences(parser, tokens) == [twin.greedy(sentence) for sentence in tokens]
    expected = [twin.beam(sentence, 5) for sentence in tokens]
    found = parse(parser, tokens, 5)
    assert [actions.tolist() for actions in found.actions] == [actions for actions, _ in expected]
    assert found.log_probs == pytest.approx([total for _, total in expected], abs=1e-8)


@pytest.mark.parametrize(("name", "attention"), SOME)
@pytest.mark.parametrize("width", [2, 5])
def test_a_beam_is_the_naive_beam(name: str, attention: str, width: int) -> None:
    parser, twin = varied_seq2seq(name, attention=attention)
    tokens = random_tokens([4, 3, 1])
    expected = [twin.beam(sentence, width) for sentence in tokens]
    found = parse(parser, tokens, width)
    assert [actions.tolist() for actions in found.actions] == [actions for actions, _ in expected]
    assert found.log_probs == pytest.approx([total for _, total in expected], abs=1e-8)


@pytest.mark.parametrize(
    ("name", "attention", "decoder"),
    [*((*one, "gru") for one in SOME), ("bottom_up", "datt-bound", "lstm")],
)
@pytest.mark.parametrize("width", [1, 4])
def test_a_sentence_parses_the_same_in_any_batch(
    name: str, attention: str, decoder: str, width: int
) -> None:
    """Short sentences leave the batch long before the longest, and disturb nothing."""
    parser, _ = varied_seq2seq(name, attention=attention, decoder=decoder)
    parser.float()
    rng = np.random.default_rng(0)
    lengths = [*sorted(rng.integers(2, 11, 4).tolist(), reverse=True), 1, 1]
    tokens = [sentence.float() for sentence in random_tokens(lengths)]
    alone = [sequences(parser, [sentence], width)[0] for sentence in tokens]
    assert sequences(parser, tokens, width) == alone
    for _ in range(3):
        some = rng.permutation(len(tokens))[: rng.integers(2, len(tokens))]
        some = sorted(some.tolist(), key=lambda i: -lengths[i])  # ties stay in random order
        expected = [alone[i] for i in some]
        assert sequences(parser, [tokens[i] for i in some], width) == expected


@pytest.mark.parametrize("name", LINEARIZATIONS)
@pytest.mark.parametrize("preferred", [0, 1, 2, 4, -1])
def test_a_model_that_always_wants_one_action_ends(name: str, preferred: int) -> None:
    parser, _ = small_seq2seq(name)
    with torch.no_grad():
        parser.output.bias[preferred] += 1e4
    tokens = random_tokens([7, 2, 1])
    check_trees(parser, tokens, sequences(parser, tokens))


def test_no_sentences() -> None:
    parser, _ = small_seq2seq()
    none = Sentences(np.zeros(0, dtype=int))
    assert Seq2SeqSearch([(parser, torch.zeros(0, 5))], none).best().actions == []
