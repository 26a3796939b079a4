"""Relations of sisters."""

import numpy as np

from ..forest import Forest, Mask, Nodes
from .relation import Relation, at


def _sister(forest: Forest, mask: Mask) -> Mask:
    below = forest.parent >= 0
    in_family = np.bincount(forest.parent[mask & below], minlength=len(forest))
    return below & (in_family[forest.parent] > mask)


def _left_sister(forest: Forest, mask: Mask) -> Mask:
    inside = np.flatnonzero(mask & (forest.parent >= 0))
    rightmost = np.full(len(forest) + 1, -1)
    rightmost[forest.parent[inside]] = forest.place[inside]
    rightmost[-1] = -1
    return rightmost[forest.parent] > forest.place


def _right_sister(forest: Forest, mask: Mask) -> Mask:
    inside = np.flatnonzero(mask & (forest.parent >= 0))[::-1]
    leftmost = np.full(len(forest) + 1, len(forest))
    leftmost[forest.parent[inside]] = forest.place[inside]
    leftmost[-1] = len(forest)
    return leftmost[forest.parent] < forest.place


def _are_sisters(forest: Forest, a: int, b: Nodes) -> np.ndarray:
    return (forest.parent[b] == forest.parent[a]) & (forest.parent[a] >= 0) & (b != a)


SISTERS: dict[str, Relation] = {
    "$": Relation(_sister, _are_sisters),
    "$+": Relation(
        lambda forest, mask: at(mask, forest.next_sister),
        lambda forest, a, b: b == forest.next_sister[a],
    ),
    "$-": Relation(
        lambda forest, mask: at(mask, forest.previous_sister),
        lambda forest, a, b: b == forest.previous_sister[a],
    ),
    "$++": Relation(_left_sister, lambda forest, a, b: _are_sisters(forest, a, b) & (a < b)),
    "$--": Relation(_right_sister, lambda forest, a, b: _are_sisters(forest, a, b) & (b < a)),
}
"""The relations, by their symbols."""
