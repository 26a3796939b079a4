"""Words with actions of their own: what the decoder gives to any of them is for reading on."""

import numpy as np
import pytest
import torch

from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.seq2seq.search import Seq2SeqSearch
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.constituency.open_brackets import OpenBrackets
from tests.helpers.seq2seq_cases import N_INPUT, linearization_of, random_tokens, varied_seq2seq

LENGTHS = np.array([9, 6, 6, 2, 1])
SYMBOLS = ("a", "b", "c")
SHARES = torch.tensor([0.1, 0.6, 0.05, 0.25], dtype=torch.float64)
"""What each action that reads a word has of the probability of reading one."""


def with_one_and_several_word_actions(name: str) -> tuple[Seq2Seq, Seq2Seq]:
    """Two parsers that differ in nothing else: the second spreads what the first gives to its
    action for words over the four it has."""
    one, twin = varied_seq2seq(name)
    plain = linearization_of(name)
    assert isinstance(plain, OpenBrackets)
    several = Seq2Seq(
        N_INPUT,
        type(plain)(**{**plain.settings(), "word_symbols": SYMBOLS}),
        **twin.settings,
    )
    several = several.double().eval()
    rows = torch.tensor([0] + [1] * (1 + len(SYMBOLS)) + list(range(2, len(plain))))
    weights = dict(one.state_dict())
    for key in ("output.weight", "output.bias"):
        weights[key] = weights[key][rows].clone()
    weights["output.bias"][1 : 2 + len(SYMBOLS)] += SHARES.log()
    # The last row of the actions before is that of none.
    weights["actions.weight"] = weights["actions.weight"][torch.cat([rows, torch.tensor([-1])])]
    several.load_state_dict(weights)
    return one, several


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("name", ["top_down", "in_order"])
@torch.inference_mode()
def test_a_word_is_read_where_one_action_would_read_it(name: str, width: int) -> None:
    one, several = with_one_and_several_word_actions(name)
    tokens = torch.cat(random_tokens(LENGTHS.tolist()))
    symbols = [["a", "b", "c", "?"][i % 4 :] + ["b"] * 9 for i in range(len(LENGTHS))]
    symbols = [of[:n] for of, n in zip(symbols, LENGTHS, strict=True)]
    batch = Sentences(LENGTHS, symbols=symbols)
    expected = Seq2SeqSearch([(one, tokens)], Sentences(LENGTHS), width).best()
    found = Seq2SeqSearch([(several, tokens)], batch, width).best()
    for actions, others, n in zip(found.actions, expected.actions, LENGTHS.tolist(), strict=True):
        tree = several.linearization.brackets(actions.tolist(), n)
        assert tree == one.linearization.brackets(others.tolist(), n)
    assert found.log_probs == pytest.approx(expected.log_probs)
    followed = Seq2SeqSearch([(several, tokens)], batch).forced(found.actions)
    if width > 1:
        assert [p.sum() for p in followed.log_probs] == pytest.approx(expected.log_probs.tolist())
