"""Marginals of arcs are those of all trees, enumerated one by one."""

from itertools import product

import numpy as np
import pytest
import torch

from spacy_structparse.nn.spa.tree_marginals import tree_marginals
from spacy_structparse.transitions.dependency.spanning_tree import is_tree

LENGTHS = [6, 5, 5, 4, 3, 2, 1]


def marginals_of_all_trees(scores: np.ndarray, single_root: bool) -> np.ndarray:
    """The share of the weight of all trees that have an arc; roots on the diagonal."""
    n = len(scores)
    words = np.arange(n)
    trees = [np.array(heads) for heads in product(range(n), repeat=n)]
    trees = [heads for heads in trees if is_tree(heads, single_root)]
    logs = np.array([scores[words, heads].sum() for heads in trees])
    weights = np.exp(logs - logs.max())
    found = np.zeros((n, n))
    for heads, weight in zip(trees, weights / weights.sum(), strict=True):
        found[words, heads] += weight
    return found


def padded(sentences: list[np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores as the parser gives them: -inf at padding, but for the diagonal."""
    longest = max(map(len, sentences))
    scores = np.full((len(sentences), longest, longest), -np.inf)
    is_word = np.zeros((len(sentences), longest), dtype=bool)
    for row, one, of_sentence in zip(scores, is_word, sentences, strict=True):
        n = len(of_sentence)
        np.fill_diagonal(row, 0.5)
        row[:n, :n], one[:n] = of_sentence, True
        row[n:, :n] = 0.25
    return torch.from_numpy(scores), torch.from_numpy(is_word)


def check(sentences: list[np.ndarray], single_root: bool) -> None:
    found = tree_marginals(*padded(sentences), single_root).numpy()
    for of_sentence, marginals in zip(sentences, found, strict=True):
        n = len(of_sentence)
        expected = marginals_of_all_trees(of_sentence, single_root)
        np.testing.assert_allclose(marginals[:n, :n], expected, atol=1e-9)
        assert not marginals[n:].any() and not marginals[:, n:].any()


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("spread", [0.0, 1.0, 20.0, 500.0])
def test_marginals_are_those_of_all_trees(single_root: bool, spread: float) -> None:
    rng = np.random.default_rng(0)
    check([rng.normal(100.0, spread, (n, n)) for n in LENGTHS], single_root)


@pytest.mark.parametrize("single_root", [True, False])
def test_words_that_choose_each_other(single_root: bool) -> None:
    """All trees together have about exp(-60) of the weight of all choices of heads, which is less
    than double precision resolves beside 1: the cycle 0-1 is broken at 60 less than its arcs."""
    scores = np.random.default_rng(1).normal(0.0, 1.0, (4, 4))
    scores[0, 1] = scores[1, 0] = 60.0
    check([scores, scores[:2, :2]], single_root)


def test_arcs_that_are_impossible() -> None:
    scores = np.random.default_rng(2).normal(0.0, 1.0, (4, 4))
    scores[0, 1] = scores[2, 2] = -np.inf
    check([scores], True)
    scores[0, 1] = scores[1, 0] = 60.0  # eliminated
    check([scores], True)


def test_scores_that_are_not_numbers() -> None:
    """A sentence of a broken model is sure of nothing, and spoils no other one."""
    good = np.random.default_rng(4).normal(0.0, 1.0, (3, 3))
    scores, is_word = padded([np.full((3, 3), np.nan), good])
    broken, found = tree_marginals(scores, is_word, True)
    assert not broken.any()
    np.testing.assert_allclose(found.numpy(), marginals_of_all_trees(good, True), atol=1e-12)


def test_in_inference_mode() -> None:
    scores = np.zeros((3, 3))
    scores[0, 1] = scores[1, 0] = 60.0
    with torch.inference_mode():
        found = tree_marginals(*padded([scores]), True)
    np.testing.assert_allclose(found[0].numpy(), marginals_of_all_trees(scores, True), atol=1e-9)
