"""The relations of Tregex by their symbols.

Many relations give each node A a zone: its nodes B are neighbours in pre-order, such as the
descendants of A. Then sets of nodes are compared by the limits of the zones. For other relations
the pairs of nodes in a zone are tried. The inverse of a relation tries the same pairs.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from .forest import WORD, Forest, Mask, Nodes

Zone = Callable[[Forest, Nodes], tuple[Nodes, Nodes]]
Holds = Callable[[Forest, Nodes, Nodes], np.ndarray]
MOST_PAIRS = 1_000_000
"""Pairs of nodes that are tried at once, which bounds the memory."""


class Relation(NamedTuple):
    """A relation between a node A, on its left in a pattern, and a node B, on its right.

    Attributes:
        zone: From nodes A to the first node that can be B, and the node after the last.
        holds: From nodes A and as many nodes B of their zones to whether each pair is in the
            relation. None: all are.
        is_inverse: A and B have changed places.
    """

    zone: Zone
    holds: Holds | None = None
    is_inverse: bool = False

    def having(self, forest: Forest, among: Mask, mask: Mask) -> Mask:
        """Find the nodes A of a set that are in the relation to any node B of another.

        Args:
            forest: The trees.
            among: Whether each node can be A.
            mask: Whether each node can be B.
        """
        found = np.zeros(len(forest), dtype=bool)
        left, right = np.flatnonzero(among), np.flatnonzero(mask)
        if self.holds is not None:
            if self.is_inverse:
                left, right = right, left
            for pair in self._pairs(forest, left, right):
                found[pair[self.is_inverse]] = True
        elif self.is_inverse:
            first, after = np.searchsorted(left, self.zone(forest, right))
            limits = [np.bincount(one, minlength=len(left) + 1) for one in (first, after)]
            found[left] = np.cumsum(limits[0] - limits[1])[:-1] > 0
        else:
            first, after = np.searchsorted(right, self.zone(forest, left))
            found[left] = after > first
        return found

    def of(self, forest: Forest, node: int, others: Nodes) -> Nodes:
        """Find the nodes B among others, ascending, that a node A is in the relation to."""
        if self.is_inverse:
            first, after = self.zone(forest, others)
            others = others[(first <= node) & (node < after)]
        else:
            first, after = self.zone(forest, np.array([node]))
            others = others[np.searchsorted(others, first[0]) : np.searchsorted(others, after[0])]
        if self.holds is None:
            return others
        pair = [np.full(len(others), node), others]
        return others[self.holds(forest, *(reversed(pair) if self.is_inverse else pair))]

    def _pairs(self, forest: Forest, left: Nodes, right: Nodes) -> Iterator[tuple[Nodes, Nodes]]:
        """Find the pairs of nodes of a relation that is no inverse, some at once."""
        assert self.holds is not None
        first, after = np.searchsorted(right, self.zone(forest, left))
        total = np.append(0, np.cumsum(after - first))
        begin = 0
        while begin < len(left):
            end = int(np.searchsorted(total, total[begin] + MOST_PAIRS, side="right")) - 1
            end = max(end, begin + 1)
            numbers = (after - first)[begin:end]
            a = np.repeat(left[begin:end], numbers)
            place = np.arange(len(a)) + total[begin]
            b = right[place + np.repeat((first - total[:-1])[begin:end], numbers)]
            are_related = self.holds(forest, a, b)
            yield a[are_related], b[are_related]
            begin = end


def _one(node: Nodes, exists: np.ndarray) -> tuple[Nodes, Nodes]:
    """The zone of a single node, empty where there is none."""
    node = np.where(exists, node, 0)
    return node, node + exists


def _below(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    return a + 1, forest.last[a]


def _parent_of(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    return _one(forest.parent[a], forest.parent[a] >= 0)


def _parent_of_only(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    parent = forest.parent[a]
    return _one(parent, (parent >= 0) & (forest.n_children[parent] == 1))


def _family(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    """The nodes below the parent."""
    parent = forest.parent[a]
    return parent + 1, np.where(parent >= 0, forest.last[parent], 0)


def _next_sister(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    return _one(forest.last[a], forest.last[a] < _family(forest, a)[1])


def _family_after(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    after = forest.last[a]
    return after, np.maximum(after, _family(forest, a)[1])


def _tree(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    return forest.tree_limits[forest.tree[a]], forest.tree_limits[forest.tree[a] + 1]


def _following(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    return forest.last[a], _tree(forest, a)[1]


def _right_after(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    """The nodes that begin with the next word: from a phrase down to the word."""
    first, limit = _following(forest, a)
    word = np.minimum(forest.end[a], forest.n_words - 1)
    return first, np.where(first < limit, forest.word_node[word] + 1, first)


def _head(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
    return _one(forest.head_child[a], forest.head_child[a] >= 0)


def _are_sisters(forest: Forest, a: Nodes, b: Nodes) -> np.ndarray:
    return (forest.parent[a] == forest.parent[b]) & (a != b)


_DIRECT = {
    ">": Relation(_parent_of),
    ">:": Relation(_parent_of_only),
    "<<": Relation(_below),
    "<<<": Relation(_below, lambda forest, a, b: forest.kind[b] == WORD),
    "<<,": Relation(lambda forest, a: (a + 1, forest.word_node[forest.start[a]] + 1)),
    "<<-": Relation(_below, lambda forest, a, b: forest.last[a] == forest.last[b]),
    "<<:": Relation(lambda forest, a: (a + 1, forest.unary_end[a] + 1)),
    "<#": Relation(_head),
    # A node below A has the head word of A only if it is on the way from A to this word.
    "<<#": Relation(_below, lambda forest, a, b: forest.head_word[a] == forest.head_word[b]),
    "$": Relation(_family, _are_sisters),
    "$+": Relation(_next_sister),
    "$++": Relation(_family_after, _are_sisters),
    ".": Relation(_right_after),
    "..": Relation(_following),
    "==": Relation(lambda forest, a: (a, a + 1)),
    "<=": Relation(
        lambda forest, a: (a, forest.last[a]),
        lambda forest, a, b: (a == b) | (forest.parent[b] == a),
    ),
    ":": Relation(_tree),
}
_INVERSES = {
    "<": ">", "<:": ">:", ">>": "<<", ">>,": "<<,", ">>-": "<<-", ">>:": "<<:", ">#": "<#",
    ">>#": "<<#", "$-": "$+", "$--": "$++", ",": ".", ",,": "..",
}  # fmt: skip
_ARGUMENTS = {"<,": ("<", 1), ">,": (">", 1), "<-": ("<", -1), ">-": (">", -1)}
"""Relations that are `<i` or `>i`."""


def relation(symbol: str, number: int | None = None, path: Mask | None = None) -> Relation:
    """Find a relation by its symbol.

    Args:
        symbol: The symbol without its argument.
        number: The argument of `<i`, `>i` and `<<<i`; negative from the right.
        path: The nodes that match the argument of `<+(C)`, `>+(C)`, `.+(C)` and `,+(C)`.
    """
    symbol, number = _ARGUMENTS.get(symbol, (symbol, number))
    if path is not None:
        found = _path_down(path) if symbol in ("<+", ">+") else _path_right(path)
        return found._replace(is_inverse=symbol in (">+", ",+"))
    if number is not None:
        if symbol == "<<<":
            return _leaf(number)
        return _parent_of_child(number)._replace(is_inverse=symbol == "<")
    if symbol in _INVERSES:
        return _DIRECT[_INVERSES[symbol]]._replace(is_inverse=True)
    return _DIRECT[symbol]


def _parent_of_child(number: int) -> Relation:
    """`>i`"""

    def zone(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
        parent = forest.parent[a]
        wanted = number - 1 if number > 0 else forest.n_children[parent] + number
        return _one(parent, (parent >= 0) & (forest.place[a] == wanted))

    return Relation(zone)


def _leaf(number: int) -> Relation:
    """`<<<i`"""

    def zone(forest: Forest, a: Nodes) -> tuple[Nodes, Nodes]:
        start, end = forest.start[a], forest.end[a]
        word = start + number - 1 if number > 0 else end + number
        exists = (start <= word) & (word < end) & (forest.kind[a] != WORD)
        return _one(forest.word_node[np.where(exists, word, 0)], exists)

    return Relation(zone)


def _path_down(path: Mask) -> Relation:
    """`<+(C)`"""

    def holds(forest: Forest, a: Nodes, b: Nodes) -> np.ndarray:
        # The number of nodes from the root down to each node that do not match.
        others = np.bincount(forest.last[~path], minlength=len(path) + 1)[:-1]
        barred = np.cumsum(~path - others)
        return barred[forest.parent[b]] == barred[a]

    return Relation(_below, holds)


def _path_right(path: Mask) -> Relation:
    """`.+(C)`"""
    reached: list[int] = []
    """From the place before each word, the places that chains reach, as bits from there on."""

    def holds(forest: Forest, a: Nodes, b: Nodes) -> np.ndarray:
        # Each tree has a place after its last word, too.
        if not reached:
            reached.extend([1] * (forest.n_words + len(forest.tree_limits)))
            nodes = np.flatnonzero(path)[::-1]
            starts, ends = forest.start[nodes], forest.end[nodes]
            for first, length in zip(
                (starts + forest.tree[nodes]).tolist(), (ends - starts).tolist(), strict=True
            ):
                reached[first] |= reached[first + length] << length
        place = (forest.end[a] + forest.tree[a]).tolist()
        words = (forest.start[b] - forest.end[a]).tolist()
        pairs = zip(place, words, strict=True)
        return np.array([reached[one] >> n & 1 for one, n in pairs], dtype=bool)

    return Relation(_following, holds)
