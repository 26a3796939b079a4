"""Outputs that nothing constrains: they end, whatever the parser."""

from typing import Any

import numpy as np
import pytest
import torch

from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.seq2seq.search import Seq2SeqSearch
from spacy_structparse.search_results import Derivations, Sentences
from spacy_structparse.transitions.constituency.open_bracket_states import CLOSE, END, OPEN, WORD
from spacy_structparse.transitions.constituency.unconstrained import repair
from tests.helpers.seq2seq_cases import random_tokens, small_seq2seq

LENGTHS = [6, 4, 3, 1]


def decoded(parser: Seq2Seq, lengths: list[int], **settings: Any) -> Derivations:
    tokens = torch.cat(random_tokens(lengths))
    batch = Sentences(np.array(lengths))
    with torch.no_grad():
        return Seq2SeqSearch([(parser, tokens)], batch, constrained=False, **settings).best()


def always(kind: int) -> Seq2Seq:
    """A parser that takes the same action in every state."""
    parser, _ = small_seq2seq("top_down", attention="none")
    with torch.no_grad():
        parser.output.weight.zero_()
        parser.output.bias.zero_()
        parser.output.bias[int(np.flatnonzero(parser.linearization.kind_of == kind)[0])] = 1.0
    return parser


@pytest.mark.parametrize("beam_width", [1, 2])
@pytest.mark.parametrize(
    ("kind", "problems"),
    [
        (OPEN, ("cut off", "unclosed bracket", "missing words", "empty bracket")),
        (WORD, ("cut off", "extra words", "no root")),
        (CLOSE, ("cut off", "unopened bracket", "missing words", "empty bracket")),
    ],
)
def test_one_that_never_ends_is_cut_off(
    kind: int, problems: tuple[str, ...], beam_width: int
) -> None:
    parser = always(kind)
    system = parser.linearization
    for actions, n in zip(
        decoded(parser, LENGTHS, beam_width=beam_width).actions, LENGTHS, strict=True
    ):
        # Also of the shorter sentences, which wait for longer ones.
        assert len(actions) == system.max_steps(n)
        if beam_width == 1:
            assert repair(system, actions.tolist(), n).problems == problems


def test_one_that_ends_at_once() -> None:
    parser = always(END)
    for actions, n in zip(decoded(parser, LENGTHS).actions, LENGTHS, strict=True):
        assert actions.tolist() == [END]
        assert repair(parser.linearization, [END], n).problems == ("missing words", "no root")
