"""Relations of Tregex as pairs of functions, and operations on sets of nodes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..forest import Forest, Mask, Nodes

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
