"""Tries: sequences that may share their beginnings.

Under teacher forcing the pushes of a stack LSTM form a trie: the parent of a push is the push that
lies below it on the stack, and the depth of a push is the height of the stack. All pushes at one
depth, over the whole batch, advance together, so that the number of sequential steps is the height
of the highest stack, not the number of actions. A sequence is a trie without branches.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Trie:
    """The shape of a batch of tries, its nodes sorted by depth.

    Attributes:
        sizes: The number of nodes at each depth; their sum is T.
        parents: (T,) the parent of each node, in this order; T at a root.
        order: (T,) the caller's index of each node, by which its values are brought into this
            order.
        inverse: (T,) the place of each of the caller's nodes.
    """

    sizes: tuple[int, ...]
    parents: Tensor
    order: Tensor
    inverse: Tensor


def trie_from_parents(parents: np.ndarray) -> Trie:
    """Return the trie of nodes in any order.

    Args:
        parents: (T,) index of each node's parent, -1 for a root.
    """
    depths = np.zeros(len(parents), dtype=np.int64)
    # Every round settles one more depth, for all nodes of the batch at once.
    ancestors = parents.copy()
    while (alive := ancestors >= 0).any():
        depths += alive
        ancestors = np.where(alive, parents[ancestors], -1)
    return _trie(parents, depths)


def trie_from_lengths(lengths: np.ndarray, reverse: bool = False) -> Trie:
    """Return the trie of sequences laid end to end, longest first.

    Args:
        lengths: (B,) in descending order.
        reverse: Whether every sequence is read from its last element.
    """
    nodes = np.arange(int(lengths.sum()))
    depths = nodes - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if reverse:
        depths = np.repeat(lengths, lengths) - 1 - depths
    return _trie(np.where(depths > 0, nodes + (1 if reverse else -1), -1), depths)


def _trie(parents: np.ndarray, depths: np.ndarray) -> Trie:
    n = len(parents)
    order = np.argsort(depths, kind="stable")
    inverse = np.empty(n, dtype=np.int64)
    inverse[order] = np.arange(n)
    sorted_parents = parents[order]
    return Trie(
        tuple(np.bincount(depths).tolist()),
        torch.from_numpy(np.where(sorted_parents >= 0, inverse[sorted_parents], n)),
        torch.from_numpy(order),
        torch.from_numpy(inverse),
    )
