"""Decoding by several parsers against a twin that averages log probabilities prefix by prefix."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.brackets import Bracket
from spacy_structparse.nn.seq2seq.batch import Seq2SeqBatch
from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.seq2seq.search import Member, Seq2SeqSearch
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from spacy_structparse.transitions.constituency.interface import Linearization, State
from spacy_structparse.transitions.constituency.registry import build_linearization
from tests.helpers.seq2seq_cases import forced_features

TREEBANK: list[list[Bracket]] = [
    [Bracket("S", 0, 4), Bracket("NP", 0, 2), Bracket("VP", 2, 4), Bracket("NP", 3, 4)],
    [Bracket("S", 0, 3), Bracket("NP", 0, 1), Bracket("QP", 0, 1), Bracket("VP", 1, 3)],
    [Bracket("FRAG", 0, 1)],
]
LENGTHS = [5, 3, 3, 2, 1]
N_INPUT = 5
SIZES: dict[str, Any] = {
    "encoder": "bilstm",
    "encoder_width": 6,
    "encoder_depth": 1,
    "reverse": True,
    "attention": "datt-bound",
    "decoder": "lstm",
    "decoder_width": 8,
    "decoder_depth": 1,
    "cell": "torch",
    "action_width": 4,
    "context_width": 6,
    "readout_width": 7,
}
OTHER: dict[str, Any] = {
    "encoder": "bigru",
    "encoder_width": 5,
    "attention": "probabilistic",
    "decoder": "gru",
    "readout_width": 0,
}


def member(linearization: Linearization, seed: int, **settings: Any) -> Member:
    """A random parser, and its own vectors of the words of all sentences."""
    torch.manual_seed(seed)
    model = Seq2Seq(N_INPUT, linearization, **{**SIZES, **settings}).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)  # parsers of some conviction, that do not agree
    return model, torch.randn(sum(LENGTHS), N_INPUT)


def scores_after(model: Seq2Seq, tokens: Tensor, prefix: list[int], boundaries: Tensor) -> Tensor:
    """The scores of the action after some. boundaries: (T + 1, 5) before each and the last."""
    if getattr(model.attention, "n_positions", 5) == 7:
        boundaries = with_heads(boundaries, rightmost_heads(boundaries))
    target = 0  # of no consequence to the scores
    positions = [boundaries.numpy()]
    batch = Seq2SeqBatch.from_actions(
        [len(tokens)], [[*prefix, target]], len(model.linearization), positions
    )
    return model.output(forced_features(model, tokens, batch))[-1]


def state_after(linearization: Linearization, prefix: list[int], n: int) -> tuple[State, Tensor]:
    """The state after some actions, and the boundaries before each and after the last."""
    state = linearization.initial([n])
    boundaries = [state.boundaries()]
    for action in prefix:
        state.apply(torch.tensor([action]))
        boundaries.append(state.boundaries())
    return state, torch.cat(boundaries)


def search(members: Sequence[Member], width: int) -> list[int]:
    """The actions that beam search finds for one sentence; members: with the words of it."""
    linearization, n = members[0][0].linearization, len(members[0][1])
    beam: list[tuple[float, list[int]]] = [(0.0, [])]
    while not state_after(linearization, beam[0][1], n)[0].finished[0]:
        candidates = []
        for total, prefix in beam:
            state, boundaries = state_after(linearization, prefix, n)
            if state.finished[0]:
                candidates.append((total, prefix))
                continue
            legal = state.legal_mask()[0].nonzero()[:, 0].tolist()
            mean = torch.zeros(len(legal))
            for model, tokens in members:
                scores = scores_after(model, tokens, prefix, boundaries)
                mean += scores[legal].log_softmax(0) / len(members)
            candidates += [
                (total + p, [*prefix, action])
                for p, action in zip(mean.tolist(), legal, strict=True)
            ]
        beam = sorted(candidates, key=lambda one: -one[0])[:width]
    return beam[0][1]


def one_by_one(members: Sequence[Member], width: int) -> list[list[int]]:
    ends = np.cumsum(LENGTHS)
    with torch.no_grad():
        return [
            search([(model, tokens[end - n : end]) for model, tokens in members], width)
            for n, end in zip(LENGTHS, ends.tolist(), strict=True)
        ]


def together(members: Sequence[Member], width: int) -> list[list[int]]:
    with torch.inference_mode():
        found = Seq2SeqSearch(members, Sentences(np.array(LENGTHS)), width).best().actions
    return [actions.tolist() for actions in found]


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(
    ("name", "third"),
    [("bottom_up", "datt-bound-head"), ("top_down", "none"), ("in_order", "datt-bound")],
)
def test_members_of_all_kinds_average_their_log_probabilities(
    name: str, third: str, width: int
) -> None:
    bounds = {} if name == "bottom_up" else {"max_run": 2, "max_depth": 3}
    linearization = build_linearization(name, TREEBANK, **bounds)
    members = [
        member(linearization, 1),
        member(linearization, 2, **OTHER),
        member(linearization, 3, attention=third, decoder_width=5),
    ]
    found = together(members, width)
    assert found == one_by_one(members, width)
    assert all(found != together([one], width) for one in members)
    assert found == together(members[::-1], width)


@pytest.mark.parametrize("width", [1, 2])
def test_a_parser_agrees_with_itself(width: int) -> None:
    one = member(build_linearization("bottom_up", TREEBANK), 4, **OTHER)
    assert together([one, one, one], width) == together([one], width)
