"""The k best spanning trees, and their normalization, are those of trying every tree."""

import itertools

import numpy as np
import pytest
import torch

from spacy_structparse.nn.spa.tree_marginals import log_weight_of_trees
from spacy_structparse.transitions.dependency.spanning_tree import (
    constrained_spanning_tree,
    is_tree,
    k_best_spanning_trees,
)

SINGLE_ROOT = pytest.mark.parametrize("single_root", [True, False])


def all_trees(n: int, single_root: bool) -> np.ndarray:
    """(T, n) the heads of every tree over n words."""
    every = itertools.product(range(n), repeat=n)
    return np.array([heads for heads in every if is_tree(np.array(heads), single_root)])


def totals(scores: np.ndarray, trees: np.ndarray) -> np.ndarray:
    return scores[np.arange(len(scores)), trees].sum(1)


@SINGLE_ROOT
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_all_trees_in_order(n: int, single_root: bool) -> None:
    """More are asked for than there are: n ** (n - 1) with one root, (n + 1) ** (n - 1) with one or
    more (Cayley)."""
    trees = all_trees(n, single_root)
    assert len(trees) == (n if single_root else n + 1) ** (n - 1)
    scores = np.random.default_rng(n).normal(scale=3.0, size=(n, n))
    k = 20 if n == 6 else 10_000
    heads, found = k_best_spanning_trees(scores, k, single_root)
    expected = np.sort(totals(scores, all_trees(n, single_root)))[::-1][:k]
    assert len({tuple(one) for one in heads.tolist()}) == len(heads) == len(expected)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(totals(scores, heads), found, atol=1e-9)
    assert all(is_tree(one, single_root) for one in heads)


@SINGLE_ROOT
def test_the_best_tree_of_allowed_arcs(single_root: bool) -> None:
    rng = np.random.default_rng(0)
    n = 4
    trees = all_trees(n, single_root)
    n_without = 0
    for _ in range(200):
        scores, allowed = rng.normal(scale=5.0, size=(n, n)), rng.random((n, n)) < 0.5
        kept = trees[allowed[np.arange(n), trees].all(1)]
        found = constrained_spanning_tree(scores, allowed, single_root)
        if not len(kept):
            n_without += 1
            assert found is None
            continue
        assert found is not None
        assert found.tolist() in kept.tolist()
        assert totals(scores, found[None])[0] == pytest.approx(totals(scores, kept).max())
        heads, _ = k_best_spanning_trees(scores, 1000, single_root, allowed)
        assert sorted(heads.tolist()) == sorted(kept.tolist())
    assert 20 < n_without < 180


@SINGLE_ROOT
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_sum_over_all_trees(n: int, single_root: bool) -> None:
    for seed in range(5):
        scores = np.random.default_rng(seed).normal(scale=4.0, size=(n, n))
        expected = np.logaddexp.reduce(totals(scores, all_trees(n, single_root)))
        assert float(log_weight_of_trees(torch.from_numpy(scores), single_root)) == pytest.approx(
            expected, abs=1e-9
        )


def test_the_sum_where_the_best_heads_are_a_sure_cycle() -> None:
    """Words 0 and 1 choose each other. The trees are: 0 the root of 1 (-90 + 50), or 1 that of 0;
    so the sum is 2 exp(-40). A determinant in double precision would be 0 or noise: the weights of
    the cycle are exp(140) times larger than those of the roots."""
    scores = np.array([[-90.0, 50.0], [50.0, -90.0]])
    assert float(log_weight_of_trees(torch.from_numpy(scores), True)) == pytest.approx(
        np.log(2) - 40, abs=1e-9
    )
