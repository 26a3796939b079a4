"""Unlabelled binary trees: the best one by the scores of spans, and baselines.

A tree over n words is the list of its 2n - 1 spans (start, end), ``end`` exclusive, in pre-order,
single words among them.
"""

from collections.abc import Callable

import numpy as np

Spans = list[tuple[int, int]]


def best_tree(scores: np.ndarray) -> Spans:
    """Find the binary tree with the highest sum of the scores of its spans.

    Of equally good splits the first is taken, so that equal scores branch to the right.

    Args:
        scores: (n, n) In row i and column j, the score of the span from word i to word j.
    """
    n = len(scores)
    best = np.full((n, n), -np.inf)
    split = np.zeros((n, n), dtype=np.int64)
    for i in range(n - 1, -1, -1):
        best[i, i] = scores[i, i]
        for j in range(i + 1, n):
            # The left part ends with word k, i <= k < j.
            parts = best[i, i:j] + best[i + 1 : j + 1, j]
            k = int(parts.argmax())
            split[i, j] = i + k + 1
            best[i, j] = scores[i, j] + parts[k]
    return _tree(n, lambda start, end: int(split[start, end - 1]))


def split_at_boundaries(strengths: np.ndarray) -> Spans:
    """Split spans at their strongest boundary, from the whole sentence down.

    The method is that of Shen et al. (2018, "Neural Language Modeling by Jointly Learning Syntax
    and Lexicon"). Of equally strong boundaries the first is taken, so that equal strengths branch
    to the right.

    Args:
        strengths: (n - 1,) strength of the boundary after each word but the last.
    """
    return _tree(
        len(strengths) + 1, lambda start, end: start + 1 + int(strengths[start : end - 1].argmax())
    )


def right_branching(n: int) -> Spans:
    """Split every span after its first word."""
    return _tree(n, lambda start, end: start + 1)


def left_branching(n: int) -> Spans:
    """Split every span before its last word."""
    return _tree(n, lambda start, end: end - 1)


def balanced(n: int) -> Spans:
    """Split every span in the middle; the left part of an odd number of words is the longer one."""
    return _tree(n, lambda start, end: (start + end + 1) // 2)


def random_tree(n: int, rng: np.random.Generator) -> Spans:
    """Split every span at a random place, all places being equally likely."""
    return _tree(n, lambda start, end: int(rng.integers(start + 1, end)))


def _tree(n: int, split: Callable[[int, int], int]) -> Spans:
    """Split every span of several words where the function says."""
    spans: Spans = []
    waiting = [(0, n)] if n else []
    while waiting:
        start, end = waiting.pop()
        spans.append((start, end))
        if end - start > 1:
            middle = split(start, end)
            waiting += [(middle, end), (start, middle)]
    return spans
