"""What a GRU does between its linear maps, there and back, into tensors that are given.

h' = (1 - z) n + z h, r and z = sigmoid(x + W h), n = tanh(x + r W h), as in ``torch.nn.GRU``. The
gates stand in the last dimension, r, z, n; all dimensions before it may be broadcast.
"""

from typing import Any

import torch
from torch import Tensor

from .autocast import in_one_precision
from .tanh import tanh_


def gru_forward(from_x: Tensor, from_h: Tensor, h: Tensor, gates: Tensor, out: Tensor) -> Tensor:
    """The new state, in ``out``: (..., n). from_x, from_h: (..., 3 * n) what inputs and states add
    to the gates. gates: (..., 3 * n) is filled with their values."""
    n = h.shape[-1]
    first = 2 * n
    torch.add(from_x[..., :first], from_h[..., :first], out=gates[..., :first])
    r_z = gates[..., :first].sigmoid_()
    torch.addcmul(from_x[..., first:], r_z[..., :n], from_h[..., first:], out=gates[..., first:])
    return torch.lerp(tanh_(gates[..., first:]), h, r_z[..., n:], out=out)


def gru_backward(
    d_out: Tensor, gates: Tensor, of_state: Tensor, h: Tensor, d_x: Tensor, d_h: Tensor
) -> Tensor:
    """The gradient of h but for what comes through W: (..., n). of_state: (..., n) what the state
    adds to n. d_x, d_h: (..., 3 * n) are filled with the gradients of from_x, before what is
    broadcast is summed, and of from_h."""
    n = h.shape[-1]
    r, z, new = gates.split(n, -1)
    kept = d_out * z
    changed = d_out - kept  # d_out (1 - z)
    d_n = torch.addcmul(changed, changed * new, new, value=-1, out=d_x[..., 2 * n :])
    torch.mul((h - new).mul_(z), changed, out=d_x[..., n : 2 * n])
    of_n = torch.mul(d_n, r, out=d_h[..., 2 * n :])
    d_r = of_n * of_state
    torch.addcmul(d_r, d_r, r, value=-1, out=d_x[..., :n])
    d_h[..., : 2 * n] = d_x[..., : 2 * n]
    return kept


@in_one_precision
class GRUPointwise(torch.autograd.Function):
    """The new states of several GRUs that read the same input: (m, t, n)."""

    @staticmethod
    def forward(ctx: Any, from_x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:  # type: ignore[override]
        """from_x: (m, 3 * n); from_h: (m, t, 3 * n); h: (m, t, n)."""
        gates, out = torch.empty_like(from_h), torch.empty_like(h)
        gru_forward(from_x[:, None], from_h, h, gates, out)
        ctx.save_for_backward(gates, from_h[..., 2 * h.shape[-1] :], h)
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Tensor) -> tuple[Tensor, Tensor, Tensor]:  # type: ignore[override]
        gates, of_state, h = ctx.saved_tensors
        d_x, d_h = torch.empty_like(gates), torch.empty_like(gates)
        kept = gru_backward(d_out, gates, of_state, h, d_x, d_h)
        return d_x.sum(1), d_h, kept
