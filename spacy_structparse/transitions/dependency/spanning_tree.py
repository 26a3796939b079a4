"""Spanning trees: the best one (Chu & Liu 1965; Edmonds 1967) and the k best.

The scores of a sentence are one square matrix. ``scores[i, j]`` is the score of word j as the head
of word i. The diagonal scores word i as the root, which is its own head, as in spaCy.
"""

import heapq
from collections.abc import Iterator
from itertools import count, islice

import numpy as np
import torch
from torch import Tensor


def is_tree(heads: np.ndarray, single_root: bool = True) -> bool:
    """Return whether heads are a tree; a root is its own head, and there may be one or several."""
    n_roots = int((heads == np.arange(len(heads))).sum())
    if not n_roots or (single_root and n_roots > 1):
        return False
    above = heads
    for _ in range(len(heads).bit_length()):
        above = above[above]
    return bool((heads[above] == above).all())


def maximum_spanning_tree(scores: np.ndarray, single_root: bool = True) -> np.ndarray:
    """Find the heads of highest total score that are a tree.

    Args:
        scores: (n, n) scores. NaN and negative infinity count as the lowest of the others, positive
            infinity as the highest.
        single_root: Exactly one word is the root; otherwise at least one is.

    Returns:
        (n,) heads.
    """
    n = len(scores)
    scores = finite(scores)
    # Row and column 0 are ROOT's, which may head every word.
    graph = np.full((n + 1, n + 1), -np.inf)
    graph[1:, 1:] = scores
    graph[1:, 0] = scores.diagonal()
    np.fill_diagonal(graph, -np.inf)
    heads = _best_heads(graph.copy())[1:]
    if single_root and (heads == 0).sum() > 1:
        # With ROOT's arcs dearer than any other gain the best tree has as few as can be: one.
        # Many words then end up in one cycle, so this takes longer.
        graph[1:, 0] -= (scores.max() - scores.min() + 1) * (n + 1)
        heads = _best_heads(graph)[1:]
    return np.where(heads, heads - 1, np.arange(n))


def best_trees(scores: Tensor, is_word: Tensor, single_root: bool) -> Tensor:
    """Find the trees of highest score.

    The best head of each word is enough where these are a tree. Otherwise the maximum spanning
    tree of the sentence is found on the host.

    Args:
        scores: (B, n, n) scores of heads, those of roots on the diagonal; -inf at padding and of
            arcs that are not allowed.
        is_word: (B, n) bool; False at padding.
        single_root: Exactly one word of a sentence is its root.

    Returns:
        (B, n) heads. A tree has an arc that is not allowed only where all trees have one.
    """
    heads = scores.argmax(2)
    n = heads.shape[1]
    own = (heads.new_ones(n).cumsum(0) - 1).expand_as(heads)
    heads = torch.where(is_word, heads, own)
    roots = (heads == own) & is_word
    n_roots = roots.sum(1)
    fine = (n_roots == 1) if single_root else (n_roots > 0)
    above = heads
    for _ in range(n.bit_length()):
        above = above.gather(1, above)
    fine &= (heads.gather(1, above) == above).all(1)
    fine &= scores.isfinite().any(2).logical_or(~is_word).all(1)
    fine &= ~scores.isnan().flatten(1).any(1)
    others = (~fine).nonzero()[:, 0]
    if not len(others):
        return heads
    on_host = scores.index_select(0, others).cpu().numpy()
    n_words = is_word.index_select(0, others).sum(1).tolist()
    trees = np.tile(np.arange(n), (len(others), 1))
    for tree, of_sentence, m in zip(trees, on_host, n_words, strict=True):
        own = of_sentence[:m, :m]
        best = constrained_spanning_tree(finite(own), own > -np.inf, single_root)
        tree[:m] = maximum_spanning_tree(own, single_root) if best is None else best
    return heads.index_copy(0, others, heads.new_tensor(trees))


def finite(scores: np.ndarray) -> np.ndarray:
    """Replace scores that are not finite, as :func:`maximum_spanning_tree` counts them."""
    scores = scores.astype(np.float64)
    numbers = scores[np.isfinite(scores)]
    low, high = (numbers.min(), numbers.max()) if len(numbers) else (0.0, 0.0)
    return np.nan_to_num(scores, nan=low, posinf=high, neginf=low)


def _best_heads(graph: np.ndarray) -> np.ndarray:
    """Find the heads of the best arborescence from node 0, whose own head is 0.

    Each node has its best head. A cycle that these close becomes one node, which has the best head
    of the arcs into the cycle, until there is none. Then the cycles are opened again, the last one
    first: each where the arc into it enters.

    Args:
        graph: (m, m) scores of dependent and head, -inf where there is no arc; changed in place.
    """
    m = len(graph)
    every = np.arange(m)
    cycle_of = every.copy()  # the node that stands for each one
    best = graph.argmax(1)
    # Of each cycle: its nodes, the first of which stands for it, and their heads; by head the node
    # where its arc would enter, and by dependent the node that is its best head.
    cycles: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
    # Seen: on the path that is followed now. Done: its heads lead to ROOT, or it is in a cycle.
    seen, done = [False] * m, [True, *[False] * (m - 1)]
    for current in range(1, m):
        path: list[int] = []
        while not done[current]:
            if not seen[current]:
                seen[current] = True
                path.append(current)
                current = int(best[current])
                continue
            start = path.index(current)
            members = np.array(path[start:])
            del path[start:]
            heads = best[members]
            # What another arc into the cycle would cost, beside the one it takes the place of.
            graph[members] -= graph[members, heads][:, None]
            first, others = members[0], members[1:]
            into = members[graph[members].argmax(0)]
            graph[first] = graph[into, every]
            out_of = members[graph[:, members].argmax(1)]
            graph[:, first] = graph[every, out_of]
            graph[:, others] = -np.inf
            graph[first, first] = -np.inf
            cycles.append((members, heads, into, out_of))
            # Whoever had its best head in the cycle has it there still.
            cycle_of[others] = first
            best = cycle_of[best]
            best[first] = graph[first].argmax()
            for member in others.tolist():
                done[member] = True
            current = int(first)
            seen[current] = False
        for node in path:
            done[node] = True
    for members, heads, into, out_of in reversed(cycles):
        head = best[members[0]]
        best = np.where(best == members[0], out_of, best)
        best[members] = heads
        best[into[head]] = head
    best[0] = 0
    return best


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
) -> tuple[np.ndarray, np.ndarray]:
    """Find the k trees of highest total score.

    Args:
        scores: (n, n) finite scores.
        k: The number of trees.
        single_root: Exactly one word is the root; otherwise at least one is.
        allowed: (n, n) bool; the heads that each word may have. None: all.

    Returns:
        (K, n) heads of K distinct trees, best first, and (K,) their scores. K is k, or the number
        of trees where there are fewer.
    """
    scores = np.asarray(scores, dtype=np.float64)
    if allowed is None:
        allowed = np.ones(scores.shape, dtype=bool)
    trees = list(islice(_best_first(scores, single_root, allowed), k))
    heads = np.array([heads for heads, _ in trees], dtype=np.int64).reshape(-1, len(scores))
    return heads, np.array([score for _, score in trees])


def _best_first(
    scores: np.ndarray, single_root: bool, allowed: np.ndarray
) -> Iterator[tuple[np.ndarray, float]]:
    """Yield all trees of allowed arcs, best first, each with its score.

    Lawler's partition (1972). The trees but the best one fall apart by the first word whose head is
    another one: there this head is forbidden, and those of the words before are required. Each part
    gives its best tree. A part is searched only once its bound, in which every word has its best
    allowed head whether that makes a tree or not, is the highest that is left.
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
