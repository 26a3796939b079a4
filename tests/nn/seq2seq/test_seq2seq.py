"""Losses, gradients and contexts of the sequence-to-sequence parsers are those of the equations."""

import itertools
from typing import Any

import pytest
import torch

from tests.helpers.pairwise import pairwise
from tests.helpers.seq2seq_cases import (
    LENGTHS,
    LINEARIZATIONS,
    check_against_twin,
    forced,
    random_actions,
    random_gold,
    random_tokens,
    small_seq2seq,
)

ATTENTIONS = ("none", "probabilistic", "datt-bound", "datt-bound-head")
ENCODERS = [
    ("lstm", 1),
    ("lstm", 2),
    ("bigru", 1),
    ("bigru", 2),
    ("bilstm", 1),
    ("bilstm", 2),
    ("cnn", 2),
]
DECODERS = [
    {"decoder": "gru", "cell": "torch", "decoder_depth": 1},
    {"decoder": "lstm", "cell": "torch", "decoder_depth": 2},
    {"decoder": "lstm", "cell": "paper", "decoder_depth": 1},
    {"decoder": "gru", "cell": "torch", "decoder_depth": 2},
    {"decoder": "lstm", "cell": "torch", "decoder_depth": 1},
]
# Every attention with every encoder; decoders and readouts go round.
CASES = [
    {
        "encoder": encoder,
        "encoder_depth": depth,
        "attention": attention,
        "readout_width": 0 if number % 3 == 0 else 8,
        "reverse": number % 7 < 4,
        **DECODERS[number % 5],
    }
    for number, ((encoder, depth), attention) in enumerate(itertools.product(ENCODERS, ATTENTIONS))
]


@pytest.mark.parametrize("settings", CASES, ids=lambda s: "-".join(map(str, s.values())))
def test_loss_and_gradients_are_the_papers(settings: dict[str, Any]) -> None:
    check_against_twin(**settings)


@pytest.mark.parametrize("name", LINEARIZATIONS)
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_every_linearization(name: str, attention: str) -> None:
    check_against_twin(name, attention=attention, decoder="lstm")


@pytest.mark.parametrize(
    ("attention", "decoder", "pyramid"), pairwise(ATTENTIONS, DECODERS[1:4], ["last", "all"])
)
def test_phrases_as_a_second_encoder(attention: str, decoder: dict[str, Any], pyramid: str) -> None:
    check_against_twin(attention=attention, pyramid=pyramid, pyramid_width=5, **decoder)


@pytest.mark.parametrize("cell", ["torch", "paper"])
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_decoder_that_goes_on_from_its_encoder(attention: str, cell: str) -> None:
    """Same layers on both sides: no bridge, as in Vinyals et al."""
    same = {"encoder": "lstm", "encoder_width": 6, "encoder_depth": 2, "decoder_depth": 2}
    parser, _ = small_seq2seq(decoder="lstm", **same)
    assert parser.bridge is None
    check_against_twin(
        "top_down", attention=attention, cell=cell, decoder="lstm", readout_width=0, **same
    )


def test_label_smoothing_mixes_in_the_mean_over_all_actions() -> None:
    check_against_twin(label_smoothing=0.2)


@pytest.mark.parametrize("name", LINEARIZATIONS)
def test_guidance_asks_for_attention_to_the_next_word(name: str) -> None:
    check_against_twin(name, attention="probabilistic", attention_guidance=0.7)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_sentences_loss_does_not_depend_on_its_batch(attention: str) -> None:
    parser, _ = small_seq2seq("in_order", attention=attention)
    actions, tokens = random_actions(parser, LENGTHS), random_tokens(LENGTHS)
    together = parser(torch.cat(tokens), forced(parser, LENGTHS, actions))
    alone = [
        parser(sentence, forced(parser, [n], [taken]))
        for sentence, n, taken in zip(tokens, LENGTHS, actions, strict=True)
    ]
    torch.testing.assert_close(together, torch.cat(alone))
    some = [0, 2, 1]
    batch = forced(parser, [LENGTHS[i] for i in some], [actions[i] for i in some])
    swapped = parser(torch.cat([tokens[i] for i in some]), batch)
    torch.testing.assert_close(swapped, together[some])


@pytest.mark.parametrize("attention", ATTENTIONS)
@pytest.mark.parametrize("encoder", ["lstm", "bigru", "bilstm"])
def test_dropout_between_layers_alone(attention: str, encoder: str) -> None:
    """With one layer there is nothing between layers; with two there is."""
    for depth in (1, 2):
        parser, _ = small_seq2seq(
            attention=attention,
            encoder=encoder,
            encoder_depth=depth,
            decoder_depth=depth,
            dropout_places="layers",
        )
        tokens, batch = random_gold(parser, LENGTHS)
        without = parser(torch.cat(tokens), batch)
        parser.train()
        parser.dropout = 0.5
        change = (parser(torch.cat(tokens), batch) - without).abs().max()
        assert (change > 1e-3) == (depth == 2)
