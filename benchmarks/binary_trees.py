"""Binary trees: the best one by the scores of spans, and baselines that do not look at the words.

A tree over n words is the list of its 2n - 1 spans (start, end), ``end`` exclusive, in pre-order,
single words among them.
"""

import numpy as np

from spacy_structparse.tools.figures.induction import Spans, split_spans


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
    return split_spans(n, lambda start, end: int(split[start, end - 1]))


def right_branching(n: int) -> Spans:
    """Split every span after its first word."""
    return split_spans(n, lambda start, end: start + 1)


def left_branching(n: int) -> Spans:
    """Split every span before its last word."""
    return split_spans(n, lambda start, end: end - 1)


def balanced(n: int) -> Spans:
    """Split every span in the middle; the left part of an odd number of words is the longer one."""
    return split_spans(n, lambda start, end: (start + end + 1) // 2)


def random_tree(n: int, rng: np.random.Generator) -> Spans:
    """Split every span at a random place, all places being equally likely."""
    return split_spans(n, lambda start, end: int(rng.integers(start + 1, end)))
