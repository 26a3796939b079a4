"""Relations along chains of nodes that match a description."""

import numpy as np

from ..forest import Forest, Mask, Nodes
from .relation import Relation, at, at_words, parents


def _path_down(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`<+(C)`"""
    reaches = mask
    while True:
        above = parents(forest, reaches)
        more = reaches | (path & above)
        if (more == reaches).all():
            return above
        reaches = more


def _path_up(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`>+(C)`"""
    reaches = mask
    while True:
        below = at(reaches, forest.parent)
        more = reaches | (path & below)
        if (more == reaches).all():
            return below
        reaches = more


def _path_right(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`.+(C)`"""
    reaches = at_words(forest.start[mask], forest.n_words) & ~forest.begins_tree
    for node in np.flatnonzero(path)[::-1].tolist():  # from the last start to the first
        start = forest.start[node]
        if reaches[forest.end[node]] and not forest.begins_tree[start]:
            reaches[start] = True
    return reaches[forest.end]


def _path_left(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`,+(C)`"""
    reaches = at_words(forest.end[mask], forest.n_words) & ~forest.begins_tree
    nodes = np.flatnonzero(path)
    for node in nodes[np.argsort(forest.end[nodes], kind="stable")].tolist():
        end = forest.end[node]
        if reaches[forest.start[node]] and not forest.begins_tree[end]:
            reaches[end] = True
    return reaches[forest.start]


def _is_path_down(forest: Forest, path: Mask, a: int, b: Nodes) -> np.ndarray:
    found = np.zeros(len(b), dtype=bool)
    above = forest.parent[b]
    while (above >= 0).any():
        found |= above == a
        above = np.where((above > a) & path[above], forest.parent[above], -1)
    return found


def _is_path_up(forest: Forest, path: Mask, a: int, b: Nodes) -> np.ndarray:
    above = int(forest.parent[a])
    reached = [above]
    while above >= 0 and path[above]:
        above = int(forest.parent[above])
        reached.append(above)
    return np.isin(b, reached)


def _is_path_right(forest: Forest, path: Mask, a: int, b: Nodes) -> np.ndarray:
    limit = forest.tree_limits[forest.tree[a] + 1]
    reached = {int(forest.end[a])}
    # Nodes after A in pre-order, so that starts ascend.
    nodes = a + np.flatnonzero(path[a:limit])
    for start, end in zip(forest.start[nodes].tolist(), forest.end[nodes].tolist(), strict=True):
        if start in reached:
            reached.add(end)
    return np.isin(forest.start[b], list(reached))


def _is_path_left(forest: Forest, path: Mask, a: int, b: Nodes) -> np.ndarray:
    first = forest.tree_limits[forest.tree[a]]
    reached = {int(forest.start[a])}
    nodes = first + np.flatnonzero(path[first:a])
    nodes = nodes[np.argsort(-forest.end[nodes], kind="stable")]
    for start, end in zip(forest.start[nodes].tolist(), forest.end[nodes].tolist(), strict=True):
        if end in reached:
            reached.add(start)
    return np.isin(forest.end[b], list(reached))


def path_relation(symbol: str, path: Mask) -> Relation:
    """`<+(C)`, `>+(C)`, `.+(C)` or `,+(C)`, for the nodes that match C."""
    search, test = {
        "<+": (_path_down, _is_path_down),
        ">+": (_path_up, _is_path_up),
        ".+": (_path_right, _is_path_right),
        ",+": (_path_left, _is_path_left),
    }[symbol]
    return Relation(
        lambda forest, mask: search(forest, path, mask),
        lambda forest, a, b: test(forest, path, a, b),
    )
