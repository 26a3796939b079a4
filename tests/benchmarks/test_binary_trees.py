"""Binary trees over words."""

from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.binary_trees import (
    balanced,
    best_tree,
    left_branching,
    random_tree,
    right_branching,
)
from spacy_structparse.trees.induction import Spans, split_at_boundaries


def every_tree(start: int, end: int) -> Iterator[Spans]:
    if end - start == 1:
        yield [(start, end)]
    for middle in range(start + 1, end):
        for left in every_tree(start, middle):
            for right in every_tree(middle, end):
                yield [(start, end), *left, *right]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_no_tree_is_better(n: int) -> None:
    for seed in range(5):
        scores = np.random.default_rng(seed).normal(size=(n, n))
        total = {
            tuple(spans): sum(scores[start, end - 1] for start, end in spans)
            for spans in every_tree(0, n)
        }
        found = tuple(best_tree(scores))
        assert found in total
        assert total[found] == pytest.approx(max(total.values()))


def test_the_strongest_boundary_is_the_first_split() -> None:
    # (the ((old cook) (reads it)))
    found = split_at_boundaries(np.array([0.9, 0.1, 0.5, 0.2]))
    brackets = [(start, end) for start, end in found if end - start > 1]
    assert brackets == [(0, 5), (1, 5), (1, 3), (3, 5)]
    assert split_at_boundaries(np.zeros(3)) == right_branching(4)
    assert split_at_boundaries(np.zeros(0)) == [(0, 1)]


def test_trees_that_know_nothing() -> None:
    assert right_branching(4) == [(0, 4), (0, 1), (1, 4), (1, 2), (2, 4), (2, 3), (3, 4)]
    assert left_branching(3) == [(0, 3), (0, 2), (0, 1), (1, 2), (2, 3)]
    assert balanced(5)[:3] == [(0, 5), (0, 3), (0, 2)]
    assert best_tree(np.zeros((4, 4))) == right_branching(4)
    for kind in (right_branching, left_branching, balanced):
        assert kind(0) == []
        assert sorted(kind(6)) in [sorted(spans) for spans in every_tree(0, 6)]


def test_random_trees_are_trees_and_differ() -> None:
    rng = np.random.default_rng(0)
    trees = [random_tree(5, rng) for _ in range(30)]
    known = list(every_tree(0, 5))
    assert all(spans in known for spans in trees)
    assert len({tuple(spans) for spans in trees}) > 5


def test_long_sentences() -> None:
    assert len(best_tree(np.random.default_rng(0).normal(size=(300, 300)))) == 599
    assert len(left_branching(3000)) == 5999
