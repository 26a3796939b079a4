"""Every decoder keeps to legal actions, with few labels, wide beams and extreme scores."""

import itertools

import numpy as np
import pytest
import torch

from spacy_structparse.brackets import Bracket
from spacy_structparse.nn.layers.beam import best_hypotheses, first_hypotheses
from spacy_structparse.nn.seq2seq.beam_search import Sentences
from spacy_structparse.nn.seq2seq.beam_search import decode as decode_seq2seq
from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.spa.transition_decoding import decode as decode_transitions
from spacy_structparse.nn.spa.transition_parser import TransitionParser
from spacy_structparse.nn.stack_lstm.decoding import decode as decode_stack_lstm
from spacy_structparse.transitions.constituency.interface import check_brackets
from spacy_structparse.transitions.constituency.registry import build_linearization
from spacy_structparse.transitions.dependency.arc_standard import ActionSet, derive, heads_from
from spacy_structparse.transitions.word_sequence import UNKNOWN, WordSequence
from tests.helpers.attacks import bounded
from tests.helpers.parser_cases import N_INPUT, random_tokens, small_parser
from tests.helpers.seq2seq_cases import LINEARIZATIONS, SETTINGS

LENGTHS = bounded([[1], [2], [6, 3, 1]], [[1], [2], [3], [5, 2, 1], [9, 9, 4, 1, 1], [30, 3]])
WIDTHS = bounded([1, 3, 8, 33], [1, 2, 3, 8, 16, 33])
WIDTHS_OF_TREES = bounded([1, 16], [1, 2, 3, 8, 16])
LABELS = bounded([1, 2], [1, 2, 5])
# Factors of random weights: all scores alike, ordinary, and beyond any penalty of illegal actions.
SPREADS = [0.0, 1.0, 1e6]


def check_moves(actions: np.ndarray, lengths: list[int], action_set: ActionSet) -> None:
    """Every sentence has a legal derivation, and one root."""
    assert actions.shape == (2 * lengths[0] - 1, len(lengths))
    for column, n in zip(actions.T, lengths, strict=True):
        taken = column[: 2 * n - 1]
        assert (column[2 * n - 1 :] == -1).all()
        assert ((taken >= 0) & (taken < len(action_set))).all()
        moves = action_set.move_of[taken]
        height = np.cumsum(np.where(moves == 0, 1, -1))
        assert (height >= 1).all()
        assert (moves == 0).sum() == n
        heads = heads_from(derive(moves.tolist()))
        assert (heads == np.arange(n)).sum() == 1


@pytest.mark.parametrize("n_labels", LABELS)
@pytest.mark.parametrize("spread", SPREADS)
@torch.no_grad()
def test_stack_lstm(n_labels: int, spread: float) -> None:
    actions = ActionSet([f"l{i}" for i in range(n_labels)])
    for direct in (False, True):
        parser = small_parser(actions, direct=direct)
        parser.output.weight *= spread
        parser.output.bias *= spread
        for lengths, width in itertools.product(LENGTHS, WIDTHS):
            tokens = torch.cat(random_tokens(lengths))
            found = decode_stack_lstm(parser, tokens, np.array(lengths), width)
            check_moves(found.numpy(), lengths, actions)
        drawn = decode_stack_lstm(parser, tokens, np.array(lengths), sharpness=0.75)
        check_moves(drawn.numpy(), lengths, actions)


@pytest.mark.parametrize("n_labels", LABELS)
@pytest.mark.parametrize("spread", SPREADS)
@torch.no_grad()
def test_transition_parser(n_labels: int, spread: float) -> None:
    torch.manual_seed(0)
    actions = ActionSet([f"l{i}" for i in range(n_labels)])
    parser = TransitionParser(
        N_INPUT, actions, hidden_width=6, encoder="bilstm", encoder_width=3, encoder_depth=1,
        attention="bot", attention_width=3, max_cells=3000,
    ).double().eval()  # fmt: skip
    for parameter in parser.parameters():
        parameter.normal_()
    parser.output.weight *= spread
    parser.output.bias *= spread * 1e4
    for lengths in LENGTHS:
        tokens = torch.cat(random_tokens(lengths))
        found = decode_transitions(parser, tokens, np.array(lengths))
        check_moves(found.numpy(), lengths, actions)


def seq2seq(name: str, n_labels: int, spread: float) -> Seq2Seq:
    torch.manual_seed(0)
    if name == "words":
        actions: object = WordSequence([f"w{i}" for i in range(n_labels)], max_ratio=1.0)
        settings = {**SETTINGS, "attention": "probabilistic"}
    else:
        trees = [[Bracket(f"l{i}", 0, 2)] for i in range(n_labels)]
        actions = build_linearization(name, trees)
        settings = SETTINGS
    model = Seq2Seq(N_INPUT, actions, **settings).double().eval()  # type: ignore[arg-type]
    for parameter in model.parameters():
        parameter.normal_()
    model.output.weight *= spread
    model.output.bias *= spread
    return model


@pytest.mark.parametrize("n_labels", LABELS)
@pytest.mark.parametrize("name", [*LINEARIZATIONS, "words"])
@torch.no_grad()
def test_seq2seq(name: str, n_labels: int) -> None:
    for spread in SPREADS:
        model = seq2seq(name, n_labels, spread)
        for lengths, width in itertools.product(LENGTHS[:5], WIDTHS_OF_TREES):
            tokens = torch.cat(random_tokens(lengths))
            for penalty in (0.0, 1.0) if name == "words" else (0.0,):
                found = decode_seq2seq(
                    [(model, tokens)], Sentences(np.array(lengths)), width, length_penalty=penalty
                )
                assert np.isfinite(found.log_probs).all()
                for taken, n in zip(found.actions, lengths, strict=True):
                    assert len(taken) <= model.linearization.max_steps(n)
                    if name == "words":
                        assert UNKNOWN not in taken
                    else:
                        check_brackets(model.linearization.brackets(taken.tolist(), n), n)  # type: ignore[union-attr]


@pytest.mark.parametrize("n_actions", [1, 2, 5])
@pytest.mark.parametrize("width", [1, 2, 8, 33])
def test_a_beam_takes_only_what_is_possible(n_actions: int, width: int) -> None:
    rng = torch.Generator().manual_seed(0)
    for _ in range(20):
        total = first_hypotheses(3, width, torch.device("cpu"))
        for _ in range(4):
            scores = torch.randn(3, width, n_actions, generator=rng)
            illegal = torch.rand(scores.shape, generator=rng) < 0.6
            illegal[..., 0] = False
            candidates = total[..., None] + scores.masked_fill(illegal, -torch.inf)
            new, parents, chosen = best_hypotheses(candidates)
            flat = candidates.view(3 * width, n_actions)
            assert (flat[parents, chosen] > -torch.inf).all()
            real = new > -torch.inf
            assert torch.equal(real.sum(1), (candidates > -torch.inf).sum((1, 2)).clamp(max=width))
            total = new
