"""Decoding by several parsers against their twins, whose log probabilities are averaged."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.seq2seq.search import Seq2SeqSearch
from spacy_structparse.search_results import Sentences
from tests.helpers.naive_seq2seq import NaiveSeq2Seq
from tests.helpers.seq2seq_cases import random_tokens, varied_seq2seq

LENGTHS = [5, 3, 3, 2, 1]
OTHER: dict[str, Any] = {
    "encoder": "bilstm",
    "encoder_width": 5,
    "attention": "probabilistic",
    "decoder": "lstm",
    "readout_width": 0,
}
Member = tuple[Seq2Seq, NaiveSeq2Seq, list[Tensor]]


def member(name: str, seed: int, **settings: Any) -> Member:
    """A random parser, its twin, and its own vectors of the words of each sentence."""
    return *varied_seq2seq(name, seed, **settings), random_tokens(LENGTHS, seed)


def search(members: list[Member], sentence: int, width: int) -> list[int]:
    """The actions that beam search finds for one sentence."""
    linearization = members[0][0].linearization
    starts = [twin.start(tokens[sentence]) for _, twin, tokens in members]
    beam = [(0.0, starts, linearization.initial([LENGTHS[sentence]]))]
    while not beam[0][2].finished:
        candidates = []
        for total, derivations, state in beam:
            if state.finished:
                candidates.append((total, 0, derivations, state))
                continue
            legal = state.legal_mask()[0]
            scores = torch.stack([derivation.scores() for derivation in derivations])
            mean = scores.masked_fill(~legal, -torch.inf).log_softmax(1).mean(0)
            for action in legal.nonzero()[:, 0].tolist():
                candidates.append((total + float(mean[action]), action, derivations, state))
        beam = []
        for total, action, derivations, state in sorted(candidates, key=lambda c: -c[0])[:width]:
            if not state.finished:
                derivations = [derivation.copy() for derivation in derivations]
                for derivation in derivations:
                    derivation.apply(action)
                state = state.select(torch.tensor([0]))
                state.apply(torch.tensor([action]))
            beam.append((total, derivations, state))
    return beam[0][1][0].taken


@torch.inference_mode()
def together(members: list[Member], width: int) -> list[list[int]]:
    models = [(model, torch.cat(tokens)) for model, _, tokens in members]
    best = Seq2SeqSearch(models, Sentences(np.array(LENGTHS)), width).best()
    return [actions.tolist() for actions in best.actions]


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(
    ("name", "third"),
    [("bottom_up", "datt-bound-head"), ("top_down", "none"), ("in_order", "datt-bound")],
)
@torch.no_grad()
def test_members_of_all_kinds_average_their_log_probabilities(
    name: str, third: str, width: int
) -> None:
    members = [
        member(name, 1),
        member(name, 2, **OTHER),
        member(name, 3, attention=third, decoder_width=5),
    ]
    actions = together(members, width)
    assert actions == [search(members, sentence, width) for sentence in range(len(LENGTHS))]
    assert all(actions != together([alone], width) for alone in members)
    assert actions == together(members[::-1], width)


@pytest.mark.parametrize("width", [1, 2])
def test_a_parser_agrees_with_itself(width: int) -> None:
    alone = member("bottom_up", 4, **OTHER)
    assert together([alone] * 3, width) == together([alone], width)
