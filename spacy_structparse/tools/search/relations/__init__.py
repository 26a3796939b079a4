"""The relations of Tregex by their symbols."""

import numpy as np

from ..forest import Forest, Mask
from .dominance import DOMINANCE, Relation, child_number, leaf_number
from .order import ORDER, SISTERS
from .paths import HEADS


def _in_tree(forest: Forest, mask: Mask) -> Mask:
    found = np.zeros(len(forest.tree_limits) - 1, dtype=bool)
    found[forest.tree[mask]] = True
    return found[forest.tree]


RELATIONS: dict[str, Relation] = {
    **DOMINANCE,
    **SISTERS,
    **ORDER,
    **HEADS,
    "==": Relation(lambda forest, mask: mask, lambda forest, a, b: b == a),
    ":": Relation(_in_tree, lambda forest, a, b: np.ones(len(b), dtype=bool)),
}
"""The relations without an argument."""


def relation(symbol: str, number: int | None) -> Relation:
    """A relation that is no `path_relation`, by its symbol and its number."""
    if number is None:
        return RELATIONS[symbol]
    if symbol == "<<<":
        return leaf_number(number)
    return child_number(number)[symbol == ">"]
