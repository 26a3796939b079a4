"""The best spanning trees, and their normalization, are those of trying every tree."""

import itertools

import numpy as np
import pytest
import torch

from spacy_structparse.nn.spa.tree_marginals import log_weight_of_trees
from spacy_structparse.transitions.dependency.spanning_tree import (
    constrained_spanning_tree,
    is_tree,
    k_best_spanning_trees,
    maximum_spanning_tree,
)

SINGLE_ROOT = pytest.mark.parametrize("single_root", [True, False])


def is_tree_by_walking(heads: np.ndarray, single_root: bool) -> bool:
    roots = [i for i, head in enumerate(heads) if head == i]
    if not roots or (single_root and len(roots) > 1):
        return False
    for start in range(len(heads)):
        node, steps = start, 0
        while heads[node] != node:
            node, steps = heads[node], steps + 1
            if steps > len(heads):
                return False
    return True


@SINGLE_ROOT
def test_is_tree(single_root: bool) -> None:
    for n in (1, 2, 3, 4):
        for heads in itertools.product(range(n), repeat=n):
            found = is_tree(np.array(heads), single_root)
            assert found == is_tree_by_walking(np.array(heads), single_root), heads


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
    expected = np.sort(totals(scores, trees))[::-1][:k]
    assert len({tuple(one) for one in heads.tolist()}) == len(heads) == len(expected)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(totals(scores, heads), found, atol=1e-9)
    assert all(is_tree(one, single_root) for one in heads)
    best = maximum_spanning_tree(scores, single_root)
    assert totals(scores, best[None])[0] == pytest.approx(expected[0])


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


@SINGLE_ROOT
def test_cycles_within_cycles(single_root: bool) -> None:
    """Neighbours prefer each other, pairs of pairs prefer each other, and so on: every contraction
    meets new cycles. The result is no worse than any change of one head."""
    n = 64
    distance = np.arange(n)[:, None] ^ np.arange(n)[None, :]
    scores = -distance.astype(float) - 100 * np.eye(n)
    scores += np.random.default_rng(0).normal(scale=1e-3, size=(n, n))
    found = maximum_spanning_tree(scores, single_root)
    assert is_tree(found, single_root)
    for i, j in itertools.product(range(n), repeat=2):
        other = found.copy()
        other[i] = j
        if is_tree(other, single_root):
            changed, best = totals(scores, np.stack([other, found]))
            assert changed <= best + 1e-9


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0])
def test_ties_and_scores_that_are_no_numbers_give_trees(value: float) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 7):
        assert is_tree(maximum_spanning_tree(np.full((n, n), value)))
        scores = rng.normal(size=(n, n))
        scores[rng.random((n, n)) < 0.5] = value
        assert is_tree(maximum_spanning_tree(scores))
