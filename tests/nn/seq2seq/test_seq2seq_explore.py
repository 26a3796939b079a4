"""Exploration: the parser's own actions, and what the dynamic oracle says of them."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from spacy_structparse.nn.layers.beam import SHARPNESS, Beam
from spacy_structparse.nn.seq2seq.batch import Seq2SeqBatch
from spacy_structparse.nn.seq2seq.model import Seq2Seq
from spacy_structparse.nn.seq2seq.search import Seq2SeqSearch, explore
from spacy_structparse.search_results import Sentences
from spacy_structparse.transitions.constituency.dynamic_oracle import dynamic_oracle
from tests.helpers.seq2seq_cases import (
    forced,
    known_trees,
    random_actions,
    random_tokens,
    small_seq2seq,
    varied_seq2seq,
)

LENGTHS = [7, 5, 5, 2, 1]
TOKENS = torch.cat(random_tokens(LENGTHS))


def gold_batch(parser: Seq2Seq) -> Seq2SeqBatch:
    """Trees and the static oracle's actions, as training without exploration has them."""
    trees = known_trees(parser.linearization, LENGTHS, 3)
    return replace(forced(parser, LENGTHS, random_actions(parser, LENGTHS, 3)), trees=trees)


def drawn_batch(parser: Seq2Seq, seed: int = 0) -> tuple[Seq2SeqBatch, list[list[int]]]:
    """What exploration makes of the gold batch, and the derivations drawn."""
    drawn: list[list[int]] = []

    best = Beam.best

    def noting(beam: Beam) -> np.ndarray:
        found = best(beam)
        drawn.extend(row[:n].tolist() for row, n in zip(found, beam.lengths, strict=True))
        return found

    torch.manual_seed(seed)
    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setattr(Beam, "best", noting)
        return explore(parser, TOKENS, gold_batch(parser)), drawn


def test_the_loss_is_that_of_the_right_actions_together() -> None:
    parser, twin = varied_seq2seq()
    batch, drawn = drawn_batch(parser, seed=2)
    assert len(batch.partial)
    trees = known_trees(parser.linearization, LENGTHS, 3)
    words = random_tokens(LENGTHS)
    expected = []
    for tokens, taken, tree, n in zip(words, drawn, trees, LENGTHS, strict=True):
        p = twin.scores(tokens, taken).softmax(1)
        right = torch.from_numpy(dynamic_oracle(parser.linearization, taken, tree, n))
        expected.append(-(p * right).sum(1).log().sum())
    torch.testing.assert_close(parser(TOKENS, batch), torch.stack(expected))


def test_actions_are_drawn_from_the_parsers_probabilities() -> None:
    """The label of a one-word sentence, which may be any but nolabel."""
    parser, twin = small_seq2seq()
    tokens = random_tokens([1])[0]
    n = 4000
    torch.manual_seed(0)
    batch = Sentences(np.ones(n, dtype=np.int64))
    beam = Beam(np.full(n, 2), sharpness=SHARPNESS)
    with torch.no_grad():
        drawn = Seq2SeqSearch([(parser, tokens.expand(n, -1))], batch).run(beam).best()
    labels = drawn[:, 1]
    scores = twin.scores(tokens, [0, 3])[1].detach()
    expected = (SHARPNESS * scores[3:]).softmax(0).numpy()
    counts = np.bincount(labels, minlength=len(scores))
    assert counts[:3].sum() == 0
    assert counts[3:] / n == pytest.approx(expected, abs=0.03)
    assert expected.max() < 0.9


def test_without_trees_there_is_nothing_to_explore() -> None:
    parser, _ = small_seq2seq()
    batch = replace(gold_batch(parser), trees=())
    assert explore(parser, TOKENS, batch) is batch
    other, _ = small_seq2seq("top_down", attention="none")
    batch = gold_batch(other)
    assert explore(other, TOKENS, batch) is batch
