"""Relations of a phrase and a node in it: children, descendants, the edges of it, leaves."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..forest import WORD, Forest, Mask, Nodes

Exists = Callable[[Forest, Mask], Mask]
Holds = Callable[[Forest, int, Nodes], np.ndarray]


class Relation(NamedTuple):
    """A relation between a node A, on its left in a pattern, and a node B, on its right.

    Attributes:
        exists: From a mask of nodes B to the mask of all nodes A with `A relation B` for a B of the
            set, in a few array operations over all nodes.
        holds: From the index of A and indices of nodes B of its tree to whether it holds. Only
            matches that name nodes need it.
    """

    exists: Exists
    holds: Holds


def at(mask: np.ndarray, nodes: Nodes) -> np.ndarray:
    """The mask's values at nodes, False where there is none."""
    return np.append(mask, False)[nodes]


def _counts(mask: Mask) -> np.ndarray:
    """The number of nodes of a set before each index. Shape: (n_nodes + 1,)"""
    return np.append(0, np.cumsum(mask))


def between(mask: Mask, first: Nodes, after: Nodes) -> Mask:
    """Whether a node of a set is at index `first` or later, and before `after`."""
    counts = _counts(mask)
    return counts[after] > counts[first]


def index(forest: Forest) -> Nodes:
    """The indices of all nodes."""
    return np.arange(len(forest))


def parents(forest: Forest, mask: Mask) -> Mask:
    """The parents of a set's nodes."""
    found = np.zeros(len(forest) + 1, dtype=bool)
    found[forest.parent[mask]] = True  # index -1 is the one too many
    return found[:-1]


def at_words(words: Nodes, n: int) -> np.ndarray:
    """Whether a word is in a set, of n words and the place after them. Shape: (n + 1,)"""
    found = np.zeros(n + 1, dtype=bool)
    found[words] = True
    return found


def _dominates(forest: Forest, mask: Mask) -> Mask:
    return between(mask, index(forest) + 1, forest.last)


def _dominated(forest: Forest, mask: Mask) -> Mask:
    change = np.zeros(len(forest) + 1, dtype=np.int64)
    inside = np.flatnonzero(mask)
    change[inside + 1] += 1
    change -= np.bincount(forest.last[inside], minlength=len(forest) + 1)
    return np.cumsum(change)[: len(forest)] > 0


def _is_below(forest: Forest, a: int, b: Nodes) -> np.ndarray:
    return (a < b) & (b < forest.last[a])


def _is_above(forest: Forest, a: int, b: Nodes) -> np.ndarray:
    return (b < a) & (a < forest.last[b])


def _is_child(forest: Forest, a: int, b: Nodes) -> np.ndarray:
    return forest.parent[b] == a


def is_parent(forest: Forest, a: int, b: Nodes) -> np.ndarray:
    """Whether nodes B are the parent of A."""
    return b == forest.parent[a]


def _is_only_child(forest: Forest) -> Mask:
    return (forest.parent >= 0) & (forest.n_children[forest.parent] == 1)


def _place_from(forest: Forest, number: int) -> Callable[[Nodes], np.ndarray]:
    """Whether nodes are the number-th child, or the number-th to last for a negative number."""

    def test(nodes: Nodes) -> np.ndarray:
        if number > 0:
            return forest.place[nodes] == number - 1
        siblings = forest.n_children[forest.parent[nodes]]
        return forest.place[nodes] == siblings + number

    return test


def child_number(number: int) -> tuple[Relation, Relation]:
    """`<i` and `>i`."""

    def has(forest: Forest, mask: Mask) -> Mask:
        return parents(forest, mask & _place_from(forest, number)(index(forest)))

    def has_holds(forest: Forest, a: int, b: Nodes) -> np.ndarray:
        return (forest.parent[b] == a) & _place_from(forest, number)(b)

    def of(forest: Forest, mask: Mask) -> Mask:
        return at(mask, forest.parent) & _place_from(forest, number)(index(forest))

    def of_holds(forest: Forest, a: int, b: Nodes) -> np.ndarray:
        return (b == forest.parent[a]) & _place_from(forest, number)(np.array(a))

    return Relation(has, has_holds), Relation(of, of_holds)


def _has_only(forest: Forest, mask: Mask) -> Mask:
    return parents(forest, mask & _is_only_child(forest))


def _only_of(forest: Forest, mask: Mask) -> Mask:
    return at(mask, forest.parent) & _is_only_child(forest)


# Edges of a phrase. Leftmost descendants, and unary chains, are neighbours in pre-order.


def _has_leftmost(forest: Forest, mask: Mask) -> Mask:
    return between(mask, index(forest) + 1, forest.word_node[forest.start] + 1)


def _leftmost_of(forest: Forest, mask: Mask) -> Mask:
    return between(mask, forest.first_at_word[forest.start], index(forest))


def _has_rightmost(forest: Forest, mask: Mask) -> Mask:
    deepest = np.full(len(forest) + 1, -1)
    inside = np.flatnonzero(mask)
    deepest[forest.last[inside]] = inside  # of equal places the last assignment stays
    return deepest[forest.last] > index(forest)


def _rightmost_of(forest: Forest, mask: Mask) -> Mask:
    highest = np.full(len(forest) + 1, len(forest))
    inside = np.flatnonzero(mask)[::-1]
    highest[forest.last[inside]] = inside
    return highest[forest.last] < index(forest)


def _has_unary(forest: Forest, mask: Mask) -> Mask:
    return between(mask, index(forest) + 1, forest.unary_end + 1)


def _unary_of(forest: Forest, mask: Mask) -> Mask:
    tops = np.flatnonzero(~_is_only_child(forest))
    top = tops[np.searchsorted(tops, index(forest), side="right") - 1]
    return between(mask, top, index(forest))


# Leaves


def _has_leaf(forest: Forest, mask: Mask) -> Mask:
    return _dominates(forest, mask & (forest.kind == WORD))


def leaf_number(number: int) -> Relation:
    """`<<<i`."""

    def leaf(forest: Forest, nodes: Nodes) -> Nodes:
        start, end = forest.start[nodes], forest.end[nodes]
        word = start + number - 1 if number > 0 else end + number
        inside = (start <= word) & (word < end) & (forest.kind[nodes] != WORD)
        found = forest.word_node[np.where(inside, word, 0)]
        return np.where(inside, found, -1)

    return Relation(
        lambda forest, mask: at(mask, leaf(forest, index(forest))),
        lambda forest, a, b: b == leaf(forest, np.array(a)),
    )


_FIRST, _FIRST_OF = child_number(1)
_LAST, _LAST_OF = child_number(-1)

DOMINANCE: dict[str, Relation] = {
    "<": Relation(parents, _is_child),
    ">": Relation(lambda forest, mask: at(mask, forest.parent), is_parent),
    "<<": Relation(_dominates, _is_below),
    ">>": Relation(_dominated, _is_above),
    "<=": Relation(
        lambda forest, mask: mask | parents(forest, mask),
        lambda forest, a, b: (b == a) | (forest.parent[b] == a),
    ),
    "<<<": Relation(
        _has_leaf, lambda forest, a, b: _is_below(forest, a, b) & (forest.kind[b] == WORD)
    ),
    "<,": _FIRST,
    ">,": _FIRST_OF,
    "<-": _LAST,
    ">-": _LAST_OF,
    "<:": Relation(
        _has_only, lambda forest, a, b: _is_child(forest, a, b) & (forest.n_children[a] == 1)
    ),
    ">:": Relation(
        _only_of, lambda forest, a, b: is_parent(forest, a, b) & (forest.n_children[b] == 1)
    ),
    "<<,": Relation(
        _has_leftmost,
        lambda forest, a, b: (a < b) & (b <= forest.word_node[forest.start[a]]),
    ),
    ">>,": Relation(
        _leftmost_of, lambda forest, a, b: (b < a) & (b >= forest.first_at_word[forest.start[a]])
    ),
    "<<-": Relation(
        _has_rightmost, lambda forest, a, b: (a < b) & (forest.last[b] == forest.last[a])
    ),
    ">>-": Relation(
        _rightmost_of, lambda forest, a, b: (b < a) & (forest.last[b] == forest.last[a])
    ),
    "<<:": Relation(_has_unary, lambda forest, a, b: (a < b) & (b <= forest.unary_end[a])),
    ">>:": Relation(_unary_of, lambda forest, a, b: (b < a) & (a <= forest.unary_end[b])),
}
"""Those without an argument, by their symbols."""
