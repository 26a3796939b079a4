"""The k best spanning trees, and the best one that keeps to given arcs.

Scores are as in :mod:`spacy_structparse.transitions.dependency.spanning_tree`: ``scores[i, j]`` is
that of word j as the head of word i, and the diagonal scores roots.
"""

import heapq
from collections.abc import Iterator, Sequence
from itertools import count, islice

import numpy as np

from .spanning_tree import is_tree, maximum_spanning_tree


def constrained_spanning_tree(
    scores: np.ndarray, allowed: np.ndarray, single_root: bool = True
) -> np.ndarray | None:
    """Find the best tree of allowed arcs.

    Args:
        scores: (n, n) finite scores.
        allowed: (n, n) bool; the heads that each word may have.
        single_root: Exactly one word is the root; otherwise at least one is.

    Returns:
        (n,) heads; None if there is no such tree.
    """
    words = np.arange(len(scores))
    # The best head of each word is enough where these are a tree.
    heads = np.where(allowed, scores, -np.inf).argmax(1)
    if not (allowed[words, heads].all() and is_tree(heads, single_root)):
        # With other arcs dearer than any gain the best tree has as few of them as can be: none.
        low, high = scores.min(), scores.max()
        dear = low - (high - low + 1) * (len(scores) + 1)
        heads = maximum_spanning_tree(np.where(allowed, scores, dear), single_root)
    return heads if allowed[words, heads].all() else None


def k_best_spanning_trees(
    scores: np.ndarray,
    k: int,
    single_root: bool = True,
    allowed: np.ndarray | None = None,
    apart: Sequence[Sequence[int]] = (),
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k trees of highest total score.

    Args:
        scores: (n, n) finite scores.
        k: The number of trees.
        single_root: Exactly one word is the root; otherwise at least one is.
        allowed: (n, n) bool; the heads that each word may have. None: all.
        apart: Groups of words, no two of which may have the same head.

    Returns:
        (K, n) heads of K distinct trees, best first, and (K,) their scores. K is k, or the number
        of trees where there are fewer.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if allowed is None:
        allowed = np.ones(scores.shape, dtype=bool)
    found = list(islice(_best_first(scores, single_root, allowed, apart), k))
    heads = np.array([heads for heads, _ in found], dtype=np.int64).reshape(-1, len(scores))
    return heads, np.array([score for _, score in found])


def _best_first(
    scores: np.ndarray, single_root: bool, allowed: np.ndarray, apart: Sequence[Sequence[int]]
) -> Iterator[tuple[np.ndarray, float]]:
    """Yield all trees of allowed arcs, best first, each with its score.

    Lawler's partition (1972). The trees but the best one fall apart by the first word whose head is
    another one: there this head is forbidden, and those of the words before are required. Each part
    gives its best tree. A part is searched only once its bound, in which every word has its best
    allowed head whether that makes a tree or not, is the highest that is left.

    A best tree in which a word has the head of others of its group is left out. Its part falls into
    the trees in which the word has this head and the others do not, and those in which it does not.
    """
    words = np.arange(len(scores))
    order = count()  # of parts with one bound, the older comes first
    heap: list[tuple[float, int, np.ndarray, np.ndarray | None]] = []

    def put(bound: float, allowed: np.ndarray, heads: np.ndarray | None) -> None:
        heapq.heappush(heap, (-bound, next(order), allowed, heads))

    put(np.inf, allowed, None)
    while heap:
        bound, _, allowed, heads = heapq.heappop(heap)
        if heads is None:
            heads = constrained_spanning_tree(scores, allowed, single_root)
            if heads is not None:
                put(float(scores[words, heads].sum()), allowed, heads)
            continue
        shared = _shared_head(heads, apart)
        if shared is not None:
            word, others = shared
            with_head, without = allowed.copy(), allowed.copy()
            without[word, heads[word]] = False
            with_head[word] = words == heads[word]
            with_head[others, heads[word]] = False
            put(-bound, with_head, None)
            put(-bound, without, None)
            continue
        yield heads, -bound
        rest = allowed.copy()
        rest[words, heads] = False
        taken = scores[words, heads]
        best = np.where(allowed, scores, -np.inf).max(1)
        other = np.where(rest, scores, -np.inf).max(1)
        # Words before have the tree's heads, the word itself another one, words after it any.
        bounds = np.cumsum(taken) - taken + other + np.cumsum(best[::-1])[::-1] - best
        for word in np.flatnonzero(np.isfinite(other)).tolist():
            part = allowed.copy()
            part[:word] = False
            part[words[:word], heads[:word]] = True
            part[word, heads[word]] = False
            put(min(float(bounds[word]), -bound), part, None)


def _shared_head(heads: np.ndarray, apart: Sequence[Sequence[int]]) -> tuple[int, list[int]] | None:
    """A word with the head of another one of its group, and the others of the group."""
    for group in apart:
        of_group = heads[list(group)].tolist()
        for word, head in zip(group, of_group, strict=True):
            if of_group.count(head) > 1:
                return word, [other for other in group if other != word]
    return None
