"""A GRU that reads one side of every position of a sentence.

The two attentions of the RESCAN step of "RNN-Based Sequence-Preserved Attention for Dependency
Parsing" read towards the boundary of the sentence (ToB, Eq. 25) or from the boundary (BoT, Eq. 26),
the position itself first: n scans for n positions. They advance together, over all sentences of a
batch, and an input is projected once for all scans that read it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from ..fast.device import in_fast_precision, recomputed, rows_of, rows_together, to_device
from ..fast.gru import GRUFinalState, GRUScan
from ..fast.sequences import last_rows
from .recurrent import GRU

Order = Literal["tob", "bot"]
Side = Literal["left", "right"]


@dataclass(frozen=True)
class ScanLayout:
    """The scans of some positions, step after step, those that still read first.

    Attributes:
        targets: (T,) the positions, those with most steps first.
        sizes: How many scans read at each step; T at the first one.
        read: (sum of sizes,) the position that each reads at each step.
        first: (T,) how many steps the scans of the positions before have in all.
    """

    targets: np.ndarray
    sizes: list[int]
    read: np.ndarray
    first: np.ndarray

    def order(self, every_step: bool) -> np.ndarray:
        """Return the places of the scans' states among those of all scans.

        Args:
            every_step: Whether all states are asked for, (sum of sizes,), or the last ones, (T,).
        """
        if not every_step:
            return self.targets
        step, scan = _rows(np.asarray(self.sizes))
        return self.first[scan] + step


def _rows(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the step and the scan, (sum of sizes,) each, of rows step after step."""
    step = np.repeat(np.arange(len(sizes)), sizes)
    return step, np.arange(len(step)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def scans(lengths: np.ndarray, order: Order, side: Side, max_rows: int) -> Iterator[ScanLayout]:
    """Yield the scans of all positions of a batch in groups.

    Args:
        lengths: (B,) positions of each sentence; they are numbered through.
        order: ``tob`` reads the position and then away from it, to the boundary; ``bot`` reads the
            position, then from the boundary on to the one next to it.
        side: Which boundary.
        max_rows: Most steps of a group in all, unless one scan has more.
    """
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    position = np.arange(len(starts))
    before = position - starts
    n_steps = before + 1 if side == "left" else np.repeat(lengths, lengths) - before
    steps_before = np.cumsum(n_steps) - n_steps
    by_length = np.argsort(-n_steps, kind="stable")
    while len(by_length):
        n = int(np.searchsorted(n_steps[by_length].cumsum(), max_rows, side="right"))
        group, by_length = by_length[: max(n, 1)], by_length[max(n, 1) :]
        steps = n_steps[group]
        sizes = len(group) - np.searchsorted(steps[::-1], np.arange(steps[0]), side="right")
        step, scan = _rows(sizes)
        target = group[scan]
        # bot: after the position itself from the boundary on, which is steps - 1 away.
        distance = step if order == "tob" else np.where(step, steps[scan] - step, 0)
        read = target - distance if side == "left" else target + distance
        yield ScanLayout(group, sizes.tolist(), read, steps_before[group])


class PyramidScan(GRU):
    """Final states of a GRU that reads one side of every position, in the precision of the context.

    Args:
        n_input: Width of a position.
        hidden: Width of the GRU.
        order: See :func:`scans`.
        side: See :func:`scans`.
    """

    def __init__(self, n_input: int, hidden: int, order: Order, side: Side) -> None:
        super().__init__(n_input, hidden)
        self.order, self.side = order, side

    def forward(self, positions: Tensor, lengths: np.ndarray, every_step: bool = False) -> Tensor:
        """Return the final state of each position's scan: (P, hidden).

        Args:
            positions: (P, n_input), sentences end to end.
            lengths: (B,) positions of each.
            every_step: Return the states after every step, (R, hidden), scan after scan.
        """
        groups = list(scans(lengths, self.order, self.side, rows_together(self.hidden)))
        if not groups:
            return positions.new_zeros(0, self.hidden)
        of_groups = self._states(positions, groups, every_step)
        orders = [group.order(every_step) for group in groups]
        if len(groups) == 1 or torch.is_grad_enabled():
            inverse = np.concatenate(orders).argsort()
            return rows_of(torch.cat(list(of_groups)), inverse).to(positions)
        # One group at a time goes where it belongs: all states of a long sentence are many.
        n_rows = sum(map(len, orders))
        result = positions.new_empty(n_rows, self.hidden)
        for order, states in zip(orders, of_groups, strict=True):
            result.index_copy_(0, to_device(order, result), states.to(result))
        return result

    def _states(
        self, positions: Tensor, groups: list[ScanLayout], every_step: bool
    ) -> Iterator[Tensor]:
        """Yield the states of each group in its own order, after every step or the last ones."""
        if not (every_step or torch.is_grad_enabled()):
            final_state = GRUFinalState(*in_fast_precision(positions, *self.library_weights()))
            for group in groups:
                yield final_state.read(group.sizes, group.read)
            return
        projected = self.project(positions)
        inputs, weight, bias = in_fast_precision(projected, self.weight_h, self.bias_h)
        for group in groups:
            read = to_device(group.read, positions)
            args = (inputs, weight, bias, group.sizes, read, every_step)
            yield _scan(*args) if len(groups) == 1 else recomputed(_scan, *args)


def _scan(
    projected: Tensor,
    weight: Tensor,
    bias: Tensor,
    sizes: list[int],
    read: Tensor,
    every_step: bool,
) -> Tensor:
    """Return the states after every step, (sum of sizes, hidden), or the last ones, (T, hidden)."""
    state = projected.new_zeros(sizes[0], weight.shape[1])
    states = GRUScan.apply(projected, weight, bias, state, sizes, read)
    return states if every_step else rows_of(states, last_rows(sizes))
