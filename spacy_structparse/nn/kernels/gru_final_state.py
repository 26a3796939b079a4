"""Final states of a GRU over many sequences that share inputs, without gradients."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from .device import uploaded
from .packed_linear import packed_linear, padded_rows


class GRUFinalState:
    """The GRU of ``torch.nn.GRU``, ready to read.

    tanh(a) is computed as 2 sigmoid(2a) - 1, which is faster on a CPU. The state is kept as
    (h + 1) / 2, so that only the weights change: its new value is a mean of such values too. The
    gates r and z are apart from n, because the inputs' part in them is added by their product.

    Args:
        inputs: (P, width).
        weights: W_x, W_h, b_x and b_h.
        dtype: The precision of everything.
    """

    def __init__(self, inputs: Tensor, weights: Sequence[Tensor], dtype: torch.dtype) -> None:
        w_x, w_h, b_x, b_h = (x.to(dtype) for x in weights)
        n = w_h.shape[1]
        projected = packed_linear(w_x, b_x)(inputs.to(dtype))
        self.r_z_of_input = projected[:, : 2 * n].contiguous()
        self.new_of_input = projected[:, 2 * n :] * 2
        self.r_z_at_zero, self.new_at_zero = b_h[: 2 * n], b_h[2 * n :] * 2
        shifted = b_h - w_h.sum(1)
        self.r_z_of_state = packed_linear(w_h[: 2 * n] * 2, shifted[: 2 * n])
        self.new_of_state = packed_linear(w_h[2 * n :] * 4, shifted[2 * n :] * 2)

    def read(self, sizes: Sequence[int], inputs: np.ndarray) -> Tensor:
        """Return the final state of each sequence: (sizes[0], hidden).

        Args:
            sizes: How many sequences each step has; they are the first ones of the step before.
            inputs: (sum of sizes,) the input that each reads, step after step.
        """
        n = self.new_of_input.shape[1]
        # As many rows as a product is shown. The results of rows too many are not used.
        padded = [padded_rows(size) for size in sizes]
        reads = uploaded(_filled_up(inputs, sizes, padded), self.new_of_input.device)
        r_z_room = self.r_z_of_input.new_empty(padded[0], 2 * n)
        new_room = self.new_of_input.new_empty(padded[0], n)
        state = new_room.new_full((padded[0], n), 0.5)
        ended = []
        before = sizes[0]
        for size, read in zip(sizes, reads.split(padded), strict=True):
            ended.append(state[size:before])
            before = size
            if len(read) < len(state):
                state, r_z_room, new_room = (x[: len(read)] for x in (state, r_z_room, new_room))
            # Into memory that the step before has used: it is in the cache.
            r_z = torch.index_select(self.r_z_of_input, 0, read, out=r_z_room)
            new = torch.index_select(self.new_of_input, 0, read, out=new_room)
            if len(ended) == 1:  # the first step's states are zeros
                r_z, of_state = r_z.add_(self.r_z_at_zero), self.new_at_zero[None]
            else:
                r_z, of_state = self.r_z_of_state(state, plus=r_z), self.new_of_state(state)
            r, z = r_z.sigmoid_().chunk(2, 1)
            state = torch.lerp(new.addcmul_(r, of_state).sigmoid_(), state, z)
        return torch.cat([state[:before], *reversed(ended)]).mul_(2).sub_(1)


def _filled_up(rows: np.ndarray, sizes: Sequence[int], padded: Sequence[int]) -> np.ndarray:
    """Return the rows of every step, each filled up with row 0: (sum of padded,)."""
    missing = np.subtract(padded, sizes)
    found = np.zeros(sum(padded), dtype=rows.dtype)
    found[np.arange(len(rows)) + np.repeat(missing.cumsum() - missing, sizes)] = rows
    return found
