"""Sequences laid end to end, and the two ways in which a fused LSTM reads them.

cuDNN's LSTM on a GPU reads sequences of any lengths in one call, step by step. oneDNN's on a CPU
takes all steps in one call too, but reads rectangles (steps, sequences). Sequences sorted by length
are cut into rectangles so that padding and calls together cost least. oneDNN compiles a kernel for
every shape it meets, which takes longer than using it, and keeps up to a thousand of them in
memory, so there are few shapes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor

from .device import to_device


@dataclass(frozen=True)
class Trie:
    """The shape of a batch of tries, its nodes sorted by depth.

    Under teacher forcing the pushes of a stack LSTM form a trie: the parent of a push is the push
    that lies below it on the stack, and the depth of a push is the height of the stack. All pushes
    at one depth, over the whole batch, advance together, so that the number of sequential steps is
    the height of the highest stack, not the number of actions. A sequence is a trie without
    branches.

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
    return _trie(parents, depths_of(parents[:, None]))


def depths_of(parents: np.ndarray) -> np.ndarray:
    """Return the depth of each node, (T,): one more than its deepest parent's.

    Args:
        parents: (T, k) indices of each node's parents, -1 for none.
    """
    depths = np.zeros(len(parents), dtype=np.int64)
    # Every round settles one more depth, for all nodes of the batch at once.
    while True:
        deeper = np.where(parents >= 0, depths[parents] + 1, 0).max(1)
        if (deeper == depths).all():
            return depths
        depths = deeper


def _trie(parents: np.ndarray, depths: np.ndarray) -> Trie:
    order = np.argsort(depths, kind="stable")
    inverse = order.argsort()
    sorted_parents = parents[order]
    return Trie(
        tuple(np.bincount(depths).tolist()),
        torch.from_numpy(np.where(sorted_parents >= 0, inverse[sorted_parents], len(parents))),
        torch.from_numpy(order),
        torch.from_numpy(inverse),
    )


# The cost of a call, in cells, and the numbers of sequences that a rectangle may have.
CALL = 100
LARGE = 32  # steps; from here on their numbers are rounded more
SIZES = (1, 4, 16, 32, 48)


@dataclass(frozen=True)
class Rectangles:
    """The rectangles of N elements, P cells together.

    Attributes:
        shapes: Steps and sequences of each.
        order: (P,) the element in every cell, step by step; any element in a cell of padding.
        inverse: (N,) the cell of every element.
    """

    shapes: tuple[tuple[int, int], ...]
    order: Tensor
    inverse: Tensor


@dataclass(frozen=True)
class Sequences:
    """B sequences of N elements in all, end to end.

    Attributes:
        lengths: (B,) elements of each, in descending order, none of them 0.
        reverse: Whether they are read from the last element.
    """

    lengths: np.ndarray
    reverse: bool = False

    @cached_property
    def _trie(self) -> Trie:
        lengths = self.lengths
        nodes = np.arange(int(lengths.sum()))
        depths = nodes - np.repeat(np.cumsum(lengths) - lengths, lengths)
        if self.reverse:
            depths = np.repeat(lengths, lengths) - 1 - depths
        return _trie(np.where(depths > 0, nodes + (1 if self.reverse else -1), -1), depths)

    def by_step(self, like: Tensor) -> Trie:
        """Return the elements in the order in which they are read, the first ones first, on the
        device of a tensor."""
        return to_device(self._trie, like)

    @cached_property
    def rectangles(self) -> Rectangles:
        """The elements in rectangles."""
        lengths = self.lengths
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        shapes = _shapes(tuple(lengths.tolist()))
        orders: list[np.ndarray] = []
        inverse = np.empty(int(lengths.sum()), dtype=np.int64)
        first = n_cells = 0
        for n_steps, size in shapes:
            group = slice(first, first + size)
            steps = np.arange(n_steps)[:, None]
            inside = np.zeros((n_steps, size), dtype=bool)
            real = len(lengths[group])
            inside[:, :real] = steps < lengths[group]
            elements = np.zeros((n_steps, size), dtype=np.int64)
            places = lengths[group] - 1 - steps if self.reverse else steps
            elements[:, :real] = starts[group] + places
            elements[~inside] = 0
            inverse[elements[inside]] = n_cells + np.flatnonzero(inside)
            orders.append(elements.ravel())
            n_cells += n_steps * size
            first += size
        order = np.concatenate(orders) if orders else np.empty(0, dtype=np.int64)
        return Rectangles(shapes, torch.from_numpy(order), torch.from_numpy(inverse))


@lru_cache(maxsize=16)  # both directions, and all parsers, read the same sentences
def _shapes(lengths: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """Cut sequences, longest first, into the cheapest rectangles (steps, sequences)."""
    n = len(lengths)
    cost = [0] * (n + 1)  # of the sequences from each one on
    taken = [0] * n
    for i in reversed(range(n)):
        steps = _rounded(lengths[i])
        options = ((CALL + steps * size + cost[min(i + size, n)], size) for size in SIZES)
        cost[i], taken[i] = min(options)
    rectangles = []
    i = 0
    while i < n:
        rectangles.append((_rounded(lengths[i]), taken[i]))
        i += taken[i]
    return tuple(rectangles)


def _rounded(steps: int) -> int:
    """Round a number of steps up to one of four between two powers of two; of two, if it is large.

    Long sequences are rare, so their shapes would still come up, and take memory, late in a run.
    """
    units = 4 if steps <= LARGE else 2
    unit = max(1, 2 ** (steps - 1).bit_length() // (2 * units))
    return -(-steps // unit) * unit


def first_rows(sizes: Sequence[int]) -> list[int]:
    """Return the first row of each step of sequences that stand step after step."""
    return [0, *accumulate(sizes[:-1])]


def last_rows(sizes: Sequence[int]) -> Tensor:
    """Return the row of each sequence's last element where sequences stand step after step.

    Args:
        sizes: How many sequences each step has; they are the first ones of the step before.

    Returns:
        (sizes[0],) rows.
    """
    sequence = np.arange(sizes[0])
    n_steps = len(sizes) - np.searchsorted(sizes[::-1], sequence, side="right")
    return torch.from_numpy(np.array(first_rows(sizes))[n_steps - 1] + sequence)


def states_before(
    initial: Tensor, states: Tensor, sizes: Sequence[int], parents: Tensor | None
) -> Tensor:
    """Return the state that each node of a scan continues: (T, width).

    Args:
        initial: (sizes[0], width) the states before the first step.
        states: (T, width) the state of each node, step after step.
        sizes: Nodes of each step.
        parents: (T,) the node that each continues, those of the first step left out of account;
            None where the nodes of a step continue the first ones of the step before.
    """
    if parents is not None:
        return torch.cat([initial, states.index_select(0, parents[len(initial) :])])
    steps = zip(states.split(list(sizes)), sizes[1:], strict=False)
    return torch.cat([initial, *(step[:size] for step, size in steps)])
