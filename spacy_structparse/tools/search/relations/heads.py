"""Relations of phrases and their heads."""

import numpy as np

from ..forest import Forest, Mask, Nodes
from .dominance import is_parent
from .relation import Relation, at, index


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
