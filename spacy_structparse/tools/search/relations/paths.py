"""Relations along chains of nodes that match a description."""

import numpy as np

from ..forest import Forest, Mask, Nodes
from .dominance import Relation, at, at_words, index, is_parent, parents


def _has_head(forest: Forest, mask: Mask) -> Mask:
    return at(mask, forest.head_child)


def _is_head(forest: Forest) -> Mask:
    """Whether nodes are the head child of their parent."""
    return (forest.parent >= 0) & (forest.head_child[forest.parent] == index(forest))


def _head_of(forest: Forest, mask: Mask) -> Mask:
    return at(mask, forest.parent) & _is_head(forest)


def _along(mask: Mask, step: Nodes) -> Mask:
    """Whether a chain of steps from each node, of one or more, reaches a node of a set."""
    found = np.zeros(len(mask), dtype=bool)
    active, reached = np.arange(len(mask)), step
    while True:
        going = reached >= 0
        active, reached = active[going], reached[going]
        if not len(active):
            return found
        hit = mask[reached]
        found[active[hit]] = True
        active, reached = active[~hit], step[reached[~hit]]


def _has_head_below(forest: Forest, mask: Mask) -> Mask:
    return _along(mask, forest.head_child)


def _head_up(forest: Forest) -> Nodes:
    return np.where(_is_head(forest), forest.parent, -1)


def _head_of_above(forest: Forest, mask: Mask) -> Mask:
    return _along(mask, _head_up(forest))


def _is_head_below(forest: Forest, a: int, b: Nodes) -> np.ndarray:
    # The head chain from A is all of its nodes with its head word that are heads of their parents.
    return np.isin(b, _chain(a, forest.head_child))


def _is_head_of_above(forest: Forest, a: int, b: Nodes) -> np.ndarray:
    return np.isin(b, _chain(a, _head_up(forest)))


def _chain(node: int, step: Nodes) -> list[int]:
    found = []
    while step[node] >= 0:
        node = int(step[node])
        found.append(node)
    return found


HEADS: dict[str, Relation] = {
    "<#": Relation(_has_head, lambda forest, a, b: b == forest.head_child[a]),
    ">#": Relation(
        _head_of, lambda forest, a, b: is_parent(forest, a, b) & (forest.head_child[b] == a)
    ),
    "<<#": Relation(_has_head_below, _is_head_below),
    ">>#": Relation(_head_of_above, _is_head_of_above),
}
"""The relations, by their symbols."""


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
