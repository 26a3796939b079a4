"""Maximum spanning trees: the best heads that are a tree (Chu & Liu 1965; Edmonds 1967).

A sentence's scores are one square matrix: ``scores[i, j]`` is that of word j as the head of word i,
and the diagonal that of word i as the root, which is its own head here as everywhere in spaCy.
"""

import numpy as np


def is_tree(heads: np.ndarray, single_root: bool = True) -> bool:
    """Whether heads are a tree. heads: (n,) the root, or each of several roots, its own head."""
    n_roots = int((heads == np.arange(len(heads))).sum())
    if not n_roots or (single_root and n_roots > 1):
        return False
    above = heads
    for _ in range(len(heads).bit_length()):
        above = above[above]
    return bool((heads[above] == above).all())


def maximum_spanning_tree(scores: np.ndarray, single_root: bool = True) -> np.ndarray:
    """The heads of highest total score that are a tree: (n,).

    scores: (n, n); what is not a number, or infinite, counts as the lowest, or highest, of the
    others. single_root: exactly one word is the root; otherwise at least one is.
    """
    n = len(scores)
    scores = _finite(scores)
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


def _finite(scores: np.ndarray) -> np.ndarray:
    scores = scores.astype(np.float64)
    known = scores[np.isfinite(scores)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    return np.nan_to_num(scores, nan=low, posinf=high, neginf=low)


def _best_heads(graph: np.ndarray) -> np.ndarray:
    """The heads of the best arborescence from node 0, whose own head is 0. graph: (m, m) scores of
    dependent and head, -inf where there is no arc."""
    heads = graph.argmax(1)
    heads[0] = 0
    cycle_of = _cycles(heads)
    if not cycle_of.any():
        return heads
    # Each cycle becomes one node; node 0 and those in no cycle stay as they are.
    outside = np.flatnonzero(cycle_of == 0)
    n_outside, n_cycles = len(outside), int(cycle_of.max())
    merged = np.empty(len(graph), dtype=np.int64)
    merged[outside] = np.arange(n_outside)
    inside = np.flatnonzero(cycle_of)
    merged[inside] = n_outside + cycle_of[inside] - 1
    # An arc into a cycle costs the cycle's own arc to the node it enters.
    gains = graph.copy()
    gains[inside] -= graph[inside, heads[inside], None]
    m = n_outside + n_cycles
    # The best node of each cycle as a head of every node, then as the dependent that it enters.
    as_head, head_nodes = _best_of_groups(gains, merged, outside, n_cycles, m)
    contracted, dependent_nodes = _best_of_groups(as_head.T, merged, outside, n_cycles, m)
    contracted = contracted.T.copy()
    np.fill_diagonal(contracted, -np.inf)
    best = _best_heads(contracted)
    for node in range(1, m):
        head = best[node]
        dependent = outside[node] if node < n_outside else dependent_nodes[head, node - n_outside]
        heads[dependent] = (
            outside[head] if head < n_outside else head_nodes[dependent, head - n_outside]
        )
    return heads


def _best_of_groups(
    graph: np.ndarray, merged: np.ndarray, outside: np.ndarray, n_cycles: int, m: int
) -> tuple[np.ndarray, np.ndarray]:
    """Columns merged: the best of each cycle's, (rows, m), and which it was, (rows, n_cycles)."""
    columns = np.empty((len(graph), m))
    n_outside = len(outside)
    columns[:, :n_outside] = graph[:, outside]
    nodes = np.empty((len(graph), n_cycles), dtype=np.int64)
    for cycle in range(n_cycles):
        members = np.flatnonzero(merged == n_outside + cycle)
        best = graph[:, members].argmax(1)
        nodes[:, cycle] = members[best]
        columns[:, n_outside + cycle] = graph[np.arange(len(graph)), members[best]]
    return columns, nodes


def _cycles(heads: np.ndarray) -> np.ndarray:
    """The cycle of each node, from 1 on; 0 where it is on none. Node 0 is the root."""
    found = np.zeros(len(heads), dtype=np.int64)
    seen = np.zeros(len(heads), dtype=np.int64)  # the walk that came by
    seen[0] = -1
    n = 0
    for start in range(1, len(heads)):
        node = start
        while not seen[node]:
            seen[node] = start
            node = heads[node]
        if seen[node] == start:  # this walk has met itself
            n += 1
            while not found[node]:
                found[node] = n
                node = heads[node]
    return found
