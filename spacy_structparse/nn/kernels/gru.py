"""A fast scan of the GRU of ``torch.nn.GRU``; :func:`..layers.rnn.gru.gru_state` has its equation.

torch's recurrent layers read packed sequences too, but on a CPU their gradient takes time that
grows with the square of the number of steps: every step fills a tensor of the size of the whole
input. Here a step of the way back touches its own rows alone, and the gradients of the weights are
one product at the end.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .autocast import in_one_precision
from .packed_linear import packed_linear
from .sequences import first_rows
from .tanh import tanh_


def _advance(
    from_x: Tensor, of_r_z: Tensor, of_n: Tensor, h: Tensor, gates: Tensor, out: Tensor
) -> Tensor:
    """Fill ``gates``, (..., 3 * hidden), with r, z and n, and ``out`` with the new h."""
    first, n = of_r_z.shape[-1], h.shape[-1]
    torch.add(from_x[..., :first], of_r_z, out=gates[..., :first])
    r_z = gates[..., :first].sigmoid_()
    new = torch.addcmul(from_x[..., first:], r_z[..., :n], of_n, out=gates[..., first:])
    return torch.lerp(tanh_(new), h, r_z[..., n:], out=out)


def _go_back(
    d_out: Tensor, gates: Tensor, of_n: Tensor, h: Tensor, d_x: Tensor, d_state: Tensor
) -> Tensor:
    """Fill the gradients of the inputs' and the states' parts of the gates. Return the part of the
    gradient of h that does not come through its map."""
    n = h.shape[-1]
    r, z, new = gates.split(n, -1)
    kept = d_out * z
    changed = d_out - kept  # d_out (1 - z)
    d_n = torch.addcmul(changed, changed * new, new, value=-1, out=d_x[..., 2 * n :])
    torch.mul((h - new).mul_(z), changed, out=d_x[..., n : 2 * n])
    d_r = torch.mul(d_n, r, out=d_state[..., 2 * n :]) * of_n
    torch.addcmul(d_r, d_r, r, value=-1, out=d_x[..., :n])
    d_state[..., : 2 * n] = d_x[..., : 2 * n]
    return kept


@in_one_precision
class GRUColumn(torch.autograd.Function):
    """One step of t GRUs that read the same input, for each of m inputs.

    Autograd would take torch's tanh, which in bfloat16 is slow on a CPU, and keep more tensors.
    """

    @staticmethod
    def forward(ctx: Any, from_x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:  # type: ignore[override]
        """Return the new h: (m, t, hidden).

        Args:
            ctx: Autograd's context.
            from_x: (m, 1, 3 * hidden) the input's part of the gates r, z and n.
            from_h: (m, t, 3 * hidden) the states' part.
            h: (m, t, hidden).
        """
        gates, n = torch.empty_like(from_h), h.shape[-1]
        of_n = from_h[..., 2 * n :]
        out = _advance(from_x, from_h[..., : 2 * n], of_n, h, gates, torch.empty_like(h))
        ctx.save_for_backward(gates, of_n, h)
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor, Tensor, Tensor]:  # type: ignore[override]
        gates, of_n, h = ctx.saved_tensors
        d_x, d_from_h = torch.empty_like(gates), torch.empty_like(gates)
        kept = _go_back(d_out, gates, of_n, h, d_x, d_from_h)
        return d_x.sum(1, keepdim=True), d_from_h, kept


@in_one_precision
class GRUScan(torch.autograd.Function):
    """A GRU over sequences, step by step."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        projected: Tensor,
        weight: Tensor,
        bias: Tensor,
        state: Tensor,
        sizes: Sequence[int],
        read: Tensor | None = None,
    ) -> Tensor:
        """Return h after every step: (S, hidden).

        Args:
            ctx: Autograd's context.
            projected: (S, 3 * hidden) W_x x + b_x, step after step; (P, 3 * hidden) with ``read``.
            weight: (3 * hidden, hidden) W_h.
            bias: (3 * hidden,) b_h.
            state: (sizes[0], hidden) h before the first step.
            sizes: Rows of each step; they continue the first ones of the step before.
            read: (S,) the rows of ``projected`` that are read, where sequences share inputs.
        """
        n = weight.shape[1]
        recurrent = packed_linear(weight, bias)
        n_rows = len(projected) if read is None else len(read)
        gates = projected.new_empty(n_rows, 3 * n)  # r, z, n
        of_state = projected.new_empty(n_rows, n)  # what the state adds to n
        before, h_all = torch.empty_like(of_state), torch.empty_like(of_state)
        h = state
        for start, size in zip(first_rows(sizes), sizes, strict=True):
            rows = slice(start, start + size)
            h = h[:size]
            before[rows] = h
            from_h = recurrent(h)
            from_x = projected[rows] if read is None else projected.index_select(0, read[rows])
            of_n = of_state[rows].copy_(from_h[:, 2 * n :])
            h = _advance(from_x, from_h[:, : 2 * n], of_n, h, gates[rows], h_all[rows])
        ctx.save_for_backward(gates, of_state, before, weight, read)
        ctx.sizes, ctx.n_inputs = sizes, len(projected)
        return h_all

    @staticmethod
    def backward(ctx: Any, d_h_all: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        gates, of_state, before, weight, read = ctx.saved_tensors
        sizes, n = ctx.sizes, weight.shape[1]
        d_projected, d_from_h = torch.empty_like(gates), torch.empty_like(gates)
        back = packed_linear(weight.t(), weight.new_zeros(n))
        d_h = d_h_all.new_zeros(0, n)
        # All of it step by step: what a step needs stays in the cache, where factors for all steps
        # at once would be written to memory and read again.
        for start, size in reversed(list(zip(first_rows(sizes), sizes, strict=True))):
            rows = slice(start, start + size)
            d_out = d_h_all[rows].clone()
            d_out[: len(d_h)] += d_h
            d_x, d_state = d_projected[rows], d_from_h[rows]
            kept = _go_back(d_out, gates[rows], of_state[rows], before[rows], d_x, d_state)
            d_h = kept.add_(back(d_state))
        d_weight, d_bias = d_from_h.t() @ before, d_from_h.sum(0)
        if read is not None:
            d_read = d_projected
            d_projected = d_read.new_zeros(ctx.n_inputs, 3 * n).index_add_(0, read, d_read)
        return d_projected, d_weight, d_bias, d_h, None, None
