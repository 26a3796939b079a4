"""The sum over all spanning trees (the matrix-tree theorem; Koo et al. 2007 for one root).

Scores are as in :mod:`spacy_structparse.transitions.dependency.spanning_tree`. The weight of a tree
is exp of its total score.
"""

import numpy as np


def log_partition(scores: np.ndarray, single_root: bool = True) -> float:
    """Compute ln of the summed weight of all trees.

    The determinant of the theorem loses all digits where the best heads are a cycle. Here words are
    eliminated one by one instead (Grassmann, Taksar & Heyman 1985): nothing is subtracted, and
    logarithms do not underflow.

    Args:
        scores: (n, n) finite scores.
        single_root: Sum over trees with exactly one root; otherwise with one or more.
    """
    n = len(scores)
    roots = scores.diagonal().astype(np.float64)
    weights = scores.astype(np.float64)
    np.fill_diagonal(weights, -np.inf)
    total = 0.0
    left = np.full(n, -np.inf)  # ln of the weight with which each word leaves for those before it
    for word in range(n - 1, -1 if not single_root else 0, -1):
        heads = weights[word, :word]
        left[word] = np.logaddexp.reduce(heads) if word else -np.inf
        leaving = left[word] if single_root else np.logaddexp(left[word], roots[word])
        total += leaving
        # A word whose head was the eliminated one has that one's head.
        through = weights[:word, word] - leaving
        weights[:word, :word] = np.logaddexp(
            weights[:word, :word], through[:, None] + heads[None, :]
        )
        np.fill_diagonal(weights[:word, :word], -np.inf)
        if not single_root:
            roots[:word] = np.logaddexp(roots[:word], through + roots[word])
    if not single_root:
        return float(total)
    # The trees of each root, relative to those of word 0 (the Markov chain tree theorem).
    of_root = np.zeros(n)
    for word in range(1, n):
        of_root[word] = np.logaddexp.reduce(of_root[:word] + weights[:word, word]) - left[word]
    return float(total + np.logaddexp.reduce(of_root + roots))
