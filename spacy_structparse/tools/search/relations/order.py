"""Relations of phrases that precede and follow each other."""

import numpy as np

from ..forest import Forest, Mask
from .relation import Relation, at_words


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
