"""Maximum spanning trees: heads of highest score that are a tree (Chu & Liu 1965; Edmonds 1967).

The scores of a sentence are one square matrix. ``scores[i, j]`` is the score of word j as the head
of word i. The diagonal scores word i as the root, which is its own head, as in spaCy.
"""

import numpy as np


def is_tree(heads: np.ndarray, single_root: bool = True) -> bool:
    """Whether heads are a tree; a root is its own head, and there may be one or several."""
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
    if single_root:
        # With ROOT's arcs dearer than any other gain the best tree has as few as can be: one.
        graph[1:, 0] -= (scores.max() - scores.min() + 1) * (n + 1)
    heads = _best_heads(graph)[1:] - 1
    return np.where(heads < 0, np.arange(n), heads)


def finite(scores: np.ndarray) -> np.ndarray:
    """Replace scores that are not finite, as :func:`maximum_spanning_tree` counts them."""
    scores = scores.astype(np.float64)
    known = scores[np.isfinite(scores)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    return np.nan_to_num(scores, nan=low, posinf=high, neginf=low)


def _best_heads(graph: np.ndarray) -> np.ndarray:
    """The heads of the best arborescence from node 0, whose own head is 0. graph: (m, m) scores of
    dependent and head, -inf where there is no arc; changed in place.

    A path is grown from dependents to their best heads, and a cycle that it closes becomes one node
    (Tarjan 1977), until one node is left. Which arcs stay is then read off the nested cycles, from
    the outermost to the innermost (Camerini, Fratta & Maffioli 1979)."""
    m = len(graph)
    nests = _Nests(m)
    # ROOT is entered last of all; so everything becomes one node, and no arc into it is kept.
    graph[0, 1:] = 2 * np.nanmin(np.where(np.isfinite(graph), graph, np.nan)) - 1 if m > 1 else 0.0
    # The arc behind each score: its own dependent and head, whatever they are part of by then.
    dependent = np.repeat(np.arange(m), m).reshape(m, m)
    head = dependent.T.copy()
    node = np.arange(m)  # the nest that each row and column stands for
    path, on_path, current = [0], np.zeros(m, dtype=bool), 0
    on_path[0] = True
    n_left = m
    while n_left > 1:
        best = int(graph[current].argmax())
        nests.enter(node[current], dependent[current, best], head[current, best])
        if not on_path[best]:
            path.append(best)
            on_path[best] = True
            current = best
            continue
        start = path.index(best)
        members = np.array(path[start:])
        del path[start:]
        # What another arc into the cycle would cost, beside the one it takes the place of.
        graph[members] -= graph[members].max(1)[:, None]
        kept = members[0]
        columns = np.arange(m)
        into = members[graph[members].argmax(0)]  # where each head would enter
        row = graph[into, columns], dependent[into, columns], head[into, columns]
        graph[kept], dependent[kept], head[kept] = row
        rows = np.arange(m)
        out_of = members[graph[:, members].argmax(1)]  # which member heads each dependent best
        column = graph[rows, out_of], dependent[rows, out_of], head[rows, out_of]
        graph[:, kept], dependent[:, kept], head[:, kept] = column
        gone = members[1:]
        n_left -= len(gone)
        graph[:, gone] = -np.inf
        graph[kept, kept] = -np.inf
        on_path[gone] = False
        node[kept] = nests.nest(node[members])
        path.append(int(kept))
        current = int(kept)
    return nests.heads(m)


class _Nests:
    """Cycles within cycles, of nodes 0, …, m - 1, and the arc by which each was to be entered."""

    def __init__(self, m: int) -> None:
        self.parent: list[int] = [-1] * m
        self.children: list[list[int]] = [[] for _ in range(m)]
        self.arc: list[tuple[int, int]] = [(0, 0)] * m

    def enter(self, nest: int, dependent: int, head: int) -> None:
        self.arc[nest] = (int(dependent), int(head))

    def nest(self, members: np.ndarray) -> int:
        new = len(self.parent)
        for member in members.tolist():
            self.parent[member] = new
        self.parent.append(-1)
        self.children.append(members.tolist())
        self.arc.append((0, 0))
        return new

    def heads(self, m: int) -> np.ndarray:
        """The head of each node in the arborescence from node 0."""
        open_nests = self._broken_at(0)
        while open_nests:
            dependent, head = self.arc[open_nests.pop()]
            self.arc[dependent] = (dependent, head)
            open_nests += self._broken_at(dependent)
        return np.array([0, *(self.arc[node][1] for node in range(1, m))])

    def _broken_at(self, node: int) -> list[int]:
        """Take apart all nests around a node, which is entered from outside them. The other nests
        in them, which are entered by their own arcs."""
        found = []
        while self.parent[node] >= 0:
            around = self.parent[node]
            for member in self.children[around]:
                self.parent[member] = -1
                if member != node and self.children[member]:
                    found.append(member)
            node = around
        return found
