"""Relations of phrases that precede and follow each other."""

import numpy as np

from ..forest import Forest, Mask, Nodes
from .dominance import Relation, at, at_words


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


def _precedes(forest: Forest, mask: Mask) -> Mask:
    last_start = np.full(len(forest.tree_limits) - 1, -1)
    inside = np.flatnonzero(mask)
    last_start[forest.tree[inside]] = forest.start[inside]  # starts ascend in pre-order
    return last_start[forest.tree] >= forest.end


def _follows(forest: Forest, mask: Mask) -> Mask:
    first_end = np.full(len(forest.tree_limits) - 1, forest.n_words + 1)
    inside = np.flatnonzero(mask)
    np.minimum.at(first_end, forest.tree[inside], forest.end[inside])
    return first_end[forest.tree] <= forest.start


def _just_precedes(forest: Forest, mask: Mask) -> Mask:
    starts = at_words(forest.start[mask], forest.n_words) & ~forest.begins_tree
    return starts[forest.end]


def _just_follows(forest: Forest, mask: Mask) -> Mask:
    ends = at_words(forest.end[mask], forest.n_words) & ~forest.begins_tree
    return ends[forest.start]


ORDER: dict[str, Relation] = {
    ".": Relation(_just_precedes, lambda forest, a, b: forest.start[b] == forest.end[a]),
    ",": Relation(_just_follows, lambda forest, a, b: forest.end[b] == forest.start[a]),
    "..": Relation(_precedes, lambda forest, a, b: forest.start[b] >= forest.end[a]),
    ",,": Relation(_follows, lambda forest, a, b: forest.end[b] <= forest.start[a]),
}
"""The relations, by their symbols."""
