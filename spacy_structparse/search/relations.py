"""The relations of Tregex, over the arrays of a `Forest`.

Each relation is two functions. `exists` maps a set of nodes B to all nodes A with `A relation B`
for a B of the set, in a few array operations over all nodes. `holds` tells, for a single A, with
which of several nodes of its tree the relation holds; only matches that name nodes need it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .forest import WORD, Forest, Mask, Nodes

Exists = Callable[[Forest, Mask], Mask]
Holds = Callable[[Forest, int, Nodes], np.ndarray]


class Relation(NamedTuple):
    """A relation between a node A, on its left in a pattern, and a node B, on its right.

    Attributes:
        exists: From a mask of nodes B to the mask of nodes A.
        holds: From the index of A and indices of nodes B of its tree to whether it holds.
    """

    exists: Exists
    holds: Holds


def _at(mask: np.ndarray, nodes: Nodes) -> np.ndarray:
    """The mask's values at nodes, False where there is none."""
    return np.append(mask, False)[nodes]


def _counts(mask: Mask) -> np.ndarray:
    """The number of nodes of a set before each index. Shape: (n_nodes + 1,)"""
    return np.append(0, np.cumsum(mask))


def _between(mask: Mask, first: Nodes, after: Nodes) -> Mask:
    """Whether a node of a set is at index `first` or later, and before `after`."""
    counts = _counts(mask)
    return counts[after] > counts[first]


def _index(forest: Forest) -> Nodes:
    return np.arange(len(forest))


def _parents(forest: Forest, mask: Mask) -> Mask:
    """The parents of a set's nodes."""
    found = np.zeros(len(forest) + 1, dtype=bool)
    found[forest.parent[mask]] = True  # index -1 is the one too many
    return found[:-1]


# Dominance


def _dominates(forest: Forest, mask: Mask) -> Mask:
    return _between(mask, _index(forest) + 1, forest.last)


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


def _is_parent(forest: Forest, a: int, b: Nodes) -> np.ndarray:
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
        return _parents(forest, mask & _place_from(forest, number)(_index(forest)))

    def has_holds(forest: Forest, a: int, b: Nodes) -> np.ndarray:
        return (forest.parent[b] == a) & _place_from(forest, number)(b)

    def of(forest: Forest, mask: Mask) -> Mask:
        return _at(mask, forest.parent) & _place_from(forest, number)(_index(forest))

    def of_holds(forest: Forest, a: int, b: Nodes) -> np.ndarray:
        return (b == forest.parent[a]) & _place_from(forest, number)(np.array(a))

    return Relation(has, has_holds), Relation(of, of_holds)


def _has_only(forest: Forest, mask: Mask) -> Mask:
    return _parents(forest, mask & _is_only_child(forest))


def _only_of(forest: Forest, mask: Mask) -> Mask:
    return _at(mask, forest.parent) & _is_only_child(forest)


# Edges of a phrase. Leftmost descendants, and unary chains, are neighbours in pre-order.


def _has_leftmost(forest: Forest, mask: Mask) -> Mask:
    return _between(mask, _index(forest) + 1, forest.word_node[forest.start] + 1)


def _leftmost_of(forest: Forest, mask: Mask) -> Mask:
    return _between(mask, forest.first_at_word[forest.start], _index(forest))


def _has_rightmost(forest: Forest, mask: Mask) -> Mask:
    deepest = np.full(len(forest) + 1, -1)
    inside = np.flatnonzero(mask)
    deepest[forest.last[inside]] = inside  # of equal places the last assignment stays
    return deepest[forest.last] > _index(forest)


def _rightmost_of(forest: Forest, mask: Mask) -> Mask:
    highest = np.full(len(forest) + 1, len(forest))
    inside = np.flatnonzero(mask)[::-1]
    highest[forest.last[inside]] = inside
    return highest[forest.last] < _index(forest)


def _has_unary(forest: Forest, mask: Mask) -> Mask:
    return _between(mask, _index(forest) + 1, forest.unary_end + 1)


def _unary_of(forest: Forest, mask: Mask) -> Mask:
    tops = np.flatnonzero(~_is_only_child(forest))
    top = tops[np.searchsorted(tops, _index(forest), side="right") - 1]
    return _between(mask, top, _index(forest))


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
        lambda forest, mask: _at(mask, leaf(forest, _index(forest))),
        lambda forest, a, b: b == leaf(forest, np.array(a)),
    )


# Sisters


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


# Order


def _at_words(words: Nodes, n: int) -> np.ndarray:
    found = np.zeros(n + 1, dtype=bool)
    found[words] = True
    return found


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
    starts = _at_words(forest.start[mask], forest.n_words) & ~forest.begins_tree
    return starts[forest.end]


def _just_follows(forest: Forest, mask: Mask) -> Mask:
    ends = _at_words(forest.end[mask], forest.n_words) & ~forest.begins_tree
    return ends[forest.start]


# Heads


def _has_head(forest: Forest, mask: Mask) -> Mask:
    return _at(mask, forest.head_child)


def _is_head(forest: Forest) -> Mask:
    """Whether nodes are the head child of their parent."""
    return (forest.parent >= 0) & (forest.head_child[forest.parent] == _index(forest))


def _head_of(forest: Forest, mask: Mask) -> Mask:
    return _at(mask, forest.parent) & _is_head(forest)


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


# Chains of nodes that match a description


def _path_down(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`<+(C)`"""
    reaches = mask
    while True:
        above = _parents(forest, reaches)
        more = reaches | (path & above)
        if (more == reaches).all():
            return above
        reaches = more


def _path_up(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`>+(C)`"""
    reaches = mask
    while True:
        below = _at(reaches, forest.parent)
        more = reaches | (path & below)
        if (more == reaches).all():
            return below
        reaches = more


def _path_right(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`.+(C)`"""
    reaches = _at_words(forest.start[mask], forest.n_words) & ~forest.begins_tree
    for node in np.flatnonzero(path)[::-1].tolist():  # from the last start to the first
        start = forest.start[node]
        if reaches[forest.end[node]] and not forest.begins_tree[start]:
            reaches[start] = True
    return reaches[forest.end]


def _path_left(forest: Forest, path: Mask, mask: Mask) -> Mask:
    """`,+(C)`"""
    reaches = _at_words(forest.end[mask], forest.n_words) & ~forest.begins_tree
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


def _in_tree(forest: Forest, mask: Mask) -> Mask:
    found = np.zeros(len(forest.tree_limits) - 1, dtype=bool)
    found[forest.tree[mask]] = True
    return found[forest.tree]


_FIRST, _FIRST_OF = child_number(1)
_LAST, _LAST_OF = child_number(-1)

RELATIONS: dict[str, Relation] = {
    "<": Relation(_parents, _is_child),
    ">": Relation(lambda forest, mask: _at(mask, forest.parent), _is_parent),
    "<<": Relation(_dominates, _is_below),
    ">>": Relation(_dominated, _is_above),
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
        _only_of, lambda forest, a, b: _is_parent(forest, a, b) & (forest.n_children[b] == 1)
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
    "$": Relation(_sister, _are_sisters),
    "$+": Relation(
        lambda forest, mask: _at(mask, forest.next_sister),
        lambda forest, a, b: b == forest.next_sister[a],
    ),
    "$-": Relation(
        lambda forest, mask: _at(mask, forest.previous_sister),
        lambda forest, a, b: b == forest.previous_sister[a],
    ),
    "$++": Relation(_left_sister, lambda forest, a, b: _are_sisters(forest, a, b) & (a < b)),
    "$--": Relation(_right_sister, lambda forest, a, b: _are_sisters(forest, a, b) & (b < a)),
    ".": Relation(_just_precedes, lambda forest, a, b: forest.start[b] == forest.end[a]),
    ",": Relation(_just_follows, lambda forest, a, b: forest.end[b] == forest.start[a]),
    "..": Relation(_precedes, lambda forest, a, b: forest.start[b] >= forest.end[a]),
    ",,": Relation(_follows, lambda forest, a, b: forest.end[b] <= forest.start[a]),
    "<#": Relation(_has_head, lambda forest, a, b: b == forest.head_child[a]),
    ">#": Relation(
        _head_of, lambda forest, a, b: _is_parent(forest, a, b) & (forest.head_child[b] == a)
    ),
    "<<#": Relation(_has_head_below, _is_head_below),
    ">>#": Relation(_head_of_above, _is_head_of_above),
    "==": Relation(lambda forest, mask: mask, lambda forest, a, b: b == a),
    "<=": Relation(
        lambda forest, mask: mask | _parents(forest, mask),
        lambda forest, a, b: (b == a) | (forest.parent[b] == a),
    ),
    ":": Relation(_in_tree, lambda forest, a, b: np.ones(len(b), dtype=bool)),
}  # fmt: skip
"""The relations without an argument."""


def relation(symbol: str, number: int | None) -> Relation:
    """A relation that is no `path_relation`, by its symbol and its number."""
    if number is None:
        return RELATIONS[symbol]
    if symbol == "<<<":
        return leaf_number(number)
    return child_number(number)[symbol == ">"]
