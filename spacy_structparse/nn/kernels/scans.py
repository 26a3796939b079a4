"""GRU and LSTM layers over many sequences at once, step by step, with gradients of their own.

torch's recurrent layers read packed sequences too, but on a CPU their gradient takes time that
grows with the square of the number of steps: every step fills a tensor of the size of the whole
input. Here a step of the way back touches its own rows alone, and the gradients of the weights are
one product at the end.

Rows stand step after step; in every step the sequences still running are a prefix of those of the
step before. ``sizes``: how many at each step, S rows in all.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor

from .autocast import in_one_precision
from .gru_pointwise import gru_backward, gru_forward
from .packed_linear import packed_linear


@in_one_precision
class GRUScan(torch.autograd.Function):
    """The GRU of ``torch.nn.GRU`` over inputs that are projected already."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        projected: Tensor,
        weight: Tensor,
        bias: Tensor,
        state: Tensor,
        sizes: Sequence[int],
        read: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """projected: (S, 3 * hidden) W_ih x + b_ih; weight: (3 * hidden, hidden) W_hh; bias: b_hh;
        state: (B, hidden). read: (S,) the rows of ``projected`` that are read, where sequences
        share inputs: projected is then (P, 3 * hidden). Returns h (S, hidden) and the last h of
        each sequence (B, hidden)."""
        n = weight.shape[1]
        recurrent = packed_linear(weight, bias)
        n_rows = len(projected) if read is None else len(read)
        gates = projected.new_empty(n_rows, 3 * n)  # r, z, n
        of_state = projected.new_empty(n_rows, n)  # what the state adds to n
        before = torch.empty_like(of_state)
        h_all = torch.empty_like(of_state)
        h = state
        last = []
        for start, size in zip(_starts(sizes), sizes, strict=True):
            rows = slice(start, start + size)
            last.append(h[size:])
            h = h[:size]
            before[rows] = h
            from_h = recurrent(h)
            from_x = projected[rows] if read is None else projected.index_select(0, read[rows])
            of_state[rows] = from_h[:, 2 * n :]
            h = gru_forward(from_x, from_h, h, gates[rows], h_all[rows])
        ctx.save_for_backward(gates, of_state, before, weight, read)
        ctx.sizes, ctx.n_inputs = sizes, len(projected)
        return h_all, torch.cat([h, *reversed(last)])

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, d_h_all: Tensor, d_last: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, None, None]:
        gates, of_state, before, weight, read = ctx.saved_tensors
        n = weight.shape[1]
        sizes = ctx.sizes
        d_projected = torch.empty_like(gates)
        d_from_h = torch.empty_like(gates)
        back = packed_linear(weight.t(), weight.new_zeros(n))
        d_h = d_last[: sizes[-1]]
        steps = list(zip(_starts(sizes), sizes, strict=True))
        # All of it step by step: what a step needs stays in the cache, where factors for all steps
        # at once would be written to memory and read again.
        for start, size in reversed(steps):
            rows = slice(start, start + size)
            if len(d_h) < size:  # sequences that end here
                d_h = torch.cat([d_h, d_last[len(d_h) : size]])
            d_h = d_h + d_h_all[rows]
            d_x, of_h = d_projected[rows], d_from_h[rows]
            kept = gru_backward(d_h, gates[rows], of_state[rows], before[rows], d_x, of_h)
            d_h = kept.add_(back(of_h))
        if len(d_h) < len(d_last):
            d_h = torch.cat([d_h, d_last[len(d_h) :]])
        d_weight, d_bias = d_from_h.t() @ before, d_from_h.sum(0)
        if read is not None:
            d_read = d_projected
            d_projected = d_read.new_zeros(ctx.n_inputs, 3 * n).index_add_(0, read, d_read)
        return d_projected, d_weight, d_bias, d_h, None, None


@in_one_precision
class LSTMScan(torch.autograd.Function):
    """The LSTM of ``torch.nn.LSTM`` over inputs that are projected already."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        projected: Tensor,
        weight: Tensor,
        h: Tensor,
        c: Tensor,
        sizes: Sequence[int],
    ) -> tuple[Tensor, Tensor, Tensor]:
        """projected: (S, 4 * hidden) W_ih x + b_ih + b_hh; weight: (4 * hidden, hidden) W_hh;
        h, c: (B, hidden). Returns h (S, hidden) and the last h and c of each sequence."""
        n = weight.shape[1]
        recurrent = packed_linear(weight, weight.new_zeros(4 * n))
        gates = torch.empty_like(projected)  # i, f, g, o
        h_before, c_before, h_all, tanh_c = (
            projected.new_empty(len(projected), n) for _ in range(4)
        )
        last_h, last_c = [], []
        for start, size in zip(_starts(sizes), sizes, strict=True):
            rows = slice(start, start + size)
            last_h.append(h[size:])
            last_c.append(c[size:])
            h, c = h[:size], c[:size]
            h_before[rows], c_before[rows] = h, c
            out = torch.add(projected[rows], recurrent(h), out=gates[rows])
            i_f, g, o = out[:, : 2 * n].sigmoid_(), out[:, 2 * n : 3 * n], out[:, 3 * n :]
            g.tanh_()
            o.sigmoid_()
            c = torch.mul(i_f[:, n:], c).addcmul_(i_f[:, :n], g)
            h = torch.mul(o, torch.tanh(c, out=tanh_c[rows]), out=h_all[rows])
        ctx.save_for_backward(gates, h_before, c_before, tanh_c, weight)
        ctx.sizes = sizes
        return h_all, torch.cat([h, *reversed(last_h)]), torch.cat([c, *reversed(last_c)])

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, d_h_all: Tensor, d_last_h: Tensor, d_last_c: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        gates, h_before, c_before, tanh_c, weight = ctx.saved_tensors
        n = weight.shape[1]
        sizes = ctx.sizes
        d_projected = torch.empty_like(gates)
        back = packed_linear(weight.t(), weight.new_zeros(n))
        d_h, d_c = d_last_h[: sizes[-1]], d_last_c[: sizes[-1]]
        steps = list(zip(_starts(sizes), sizes, strict=True))
        for start, size in reversed(steps):
            rows = slice(start, start + size)
            if len(d_h) < size:  # sequences that end here
                d_h = torch.cat([d_h, d_last_h[len(d_h) : size]])
                d_c = torch.cat([d_c, d_last_c[len(d_c) : size]])
            i, f, g, o = gates[rows].split(n, 1)
            out_i, out_f, out_g, out_o = d_projected[rows].split(n, 1)
            through_o = (d_h + d_h_all[rows]).mul_(o)
            d_o = through_o * tanh_c[rows]
            d_c = (d_c + through_o).addcmul_(d_o, tanh_c[rows], value=-1)
            torch.addcmul(d_o, d_o, o, value=-1, out=out_o)
            d_g = d_c * i
            d_i = d_g * g
            torch.addcmul(d_g, d_i, g, value=-1, out=out_g)
            torch.addcmul(d_i, d_i, i, value=-1, out=out_i)
            d_c = d_c * f
            d_f = d_c * c_before[rows]
            torch.addcmul(d_f, d_f, f, value=-1, out=out_f)
            d_h = back(d_projected[rows])
        if len(d_h) < len(d_last_h):
            d_h = torch.cat([d_h, d_last_h[len(d_h) :]])
            d_c = torch.cat([d_c, d_last_c[len(d_c) :]])
        return d_projected, d_projected.t() @ h_before, d_h, d_c, None


def _starts(sizes: Sequence[int]) -> list[int]:
    """The first row of each step."""
    return [0, *accumulate(sizes[:-1])]
