"""Unlabelled binary trees: the best by the scores of spans, those split at the strongest
boundaries, and those that know nothing.

A tree over n words is the list of its 2n - 1 spans (start, end), ``end`` exclusive, in pre-order,
single words among them.
"""

from collections.abc import Callable

import numpy as np

Spans = list[tuple[int, int]]


def best_tree(scores: np.ndarray) -> Spans:
    """The binary tree with the highest sum of scores of its spans.

    scores: (n, n), in row i and column j that of the span from word i to word j, both in it. Of
    equally good splits of a span the first is taken, so that equal scores branch to the right."""
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
    """The binary tree whose spans are split where the boundary is strongest, from the whole
    sentence down (as in Shen et al. 2018, "Neural Language Modeling by Jointly Learning Syntax and
    Lexicon").

    strengths: (n - 1,), of the boundary after each word but the last. Of equally strong ones the
    first is taken, so that equal strengths branch to the right."""
    return _tree(
        len(strengths) + 1, lambda start, end: start + 1 + int(strengths[start : end - 1].argmax())
    )


def right_branching(n: int) -> Spans:
    """Every span is its first word and the rest."""
    return _tree(n, lambda start, end: start + 1)


def left_branching(n: int) -> Spans:
    """Every span is its last word and what comes before."""
    return _tree(n, lambda start, end: end - 1)


def balanced(n: int) -> Spans:
    """Every span is split in the middle; of an odd number of words the left part has more."""
    return _tree(n, lambda start, end: (start + end + 1) // 2)


def random_tree(n: int, rng: np.random.Generator) -> Spans:
    """Every span is split anywhere, all places alike."""
    return _tree(n, lambda start, end: int(rng.integers(start + 1, end)))


def _tree(n: int, split: Callable[[int, int], int]) -> Spans:
    """The tree that splits every span of several words where the function says."""
    spans: Spans = []
    waiting = [(0, n)] if n else []
    while waiting:
        start, end = waiting.pop()
        spans.append((start, end))
        if end - start > 1:
            middle = split(start, end)
            waiting += [(middle, end), (start, middle)]
    return spans
