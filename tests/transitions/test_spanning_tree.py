"""Maximum spanning trees are those that trying every assignment of heads finds."""

import itertools

import numpy as np
import pytest

from spacy_structparse.transitions.dependency.spanning_tree import is_tree, maximum_spanning_tree


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


def total(scores: np.ndarray, heads: np.ndarray) -> float:
    return float(scores[np.arange(len(heads)), heads].sum())


@pytest.mark.parametrize("single_root", [True, False])
def test_is_tree(single_root: bool) -> None:
    for n in (1, 2, 3, 4):
        for heads in itertools.product(range(n), repeat=n):
            found = is_tree(np.array(heads), single_root)
            assert found == is_tree_by_walking(np.array(heads), single_root), heads


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_best_of_all_trees(n: int, single_root: bool) -> None:
    trees = [
        np.array(heads)
        for heads in itertools.product(range(n), repeat=n)
        if is_tree_by_walking(np.array(heads), single_root)
    ]
    rng = np.random.default_rng(n)
    for _ in range(60):
        scores = rng.normal(size=(n, n))
        found = maximum_spanning_tree(scores, single_root)
        best = max(total(scores, heads) for heads in trees)
        assert is_tree(found, single_root)
        assert total(scores, found) == pytest.approx(best)


@pytest.mark.parametrize("single_root", [True, False])
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
            assert total(scores, other) <= total(scores, found) + 1e-9


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0])
def test_ties_and_scores_that_are_no_numbers_give_trees(value: float) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 2, 7):
        assert is_tree(maximum_spanning_tree(np.full((n, n), value)))
        scores = rng.normal(size=(n, n))
        scores[rng.random((n, n)) < 0.5] = value
        assert is_tree(maximum_spanning_tree(scores))
