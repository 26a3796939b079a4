"""The states that GRUs end in which read many sequences over shared inputs, without gradients."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from .packed_linear import packed_linear, padded_rows


class GRUFinalState:
    """A GRU as ``torch.nn.GRU`` has it; ``weights``: its W_ih, W_hh, b_ih and b_hh.

    tanh(a) = 2 sigmoid(2a) - 1, several times faster on a CPU. With (h + 1) / 2 for the state h
    nothing is left of it but other weights: the mean of h and a new state is that of the two. The
    gates r and z are apart from n: what inputs add to them is added on the way out of a product.

    inputs: (P, width). dtype: in which all is multiplied.
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
        """sizes: how many sequences read at each step, those that still do a prefix of those of
        the step before. inputs: (sum of sizes,) the one that each reads, step after step. Returns
        (sizes[0], n)."""
        n = self.new_of_input.shape[1]
        # As many rows as a product is shown; what becomes of those too many does not matter.
        padded = [padded_rows(size) for size in sizes]
        reads = torch.from_numpy(_filled_up(inputs, sizes, padded)).to(self.new_of_input.device)
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
    """The rows of every step with row 0 behind them: (sum of padded,)."""
    missing = np.subtract(padded, sizes)
    found = np.zeros(sum(padded), dtype=rows.dtype)
    found[np.arange(len(rows)) + np.repeat(missing.cumsum() - missing, sizes)] = rows
    return found
