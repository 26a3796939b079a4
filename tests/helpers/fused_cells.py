"""Steps of ``torch.lstm`` and ``torch.gru``, for which the CPU has no kernels of their own."""

import torch
from torch import Tensor


def lstm_cell(
    of_input: Tensor,
    of_hidden: Tensor,
    c: Tensor,
    bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A step of ``torch.lstm``: the hidden state, the cell, and the gates for the way back."""
    gates = of_input + of_hidden
    for one in (bias, hidden_bias):
        gates = gates if one is None else gates + one
    i, f, g, o = gates.chunk(4, 1)
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    new = f * c + i * g
    return o * new.tanh(), new, torch.cat([i, f, g, o], 1)


def lstm_cell_backward(
    d_h: Tensor | None, d_c: Tensor | None, c: Tensor, new: Tensor, gates: Tensor, has_bias: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    """The gradients of the gates, the cell and the bias."""
    i, f, g, o = gates.chunk(4, 1)
    d_h = torch.zeros_like(c) if d_h is None else d_h
    bent = new.tanh()
    d = d_h * o * (1 - bent * bent)
    d = d if d_c is None else d + d_c
    of_gates = [d * g * i * (1 - i), d * c * f * (1 - f), d * i * (1 - g * g)]
    d_gates = torch.cat([*of_gates, d_h * bent * o * (1 - o)], 1)
    return d_gates, d * f, d_gates.sum(0) if has_bias else None


def gru_cell(
    of_input: Tensor,
    of_hidden: Tensor,
    h: Tensor,
    bias: Tensor | None = None,
    hidden_bias: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """A step of ``torch.gru``: the hidden state, and what the way back needs."""
    of_input = of_input if bias is None else of_input + bias
    of_hidden = of_hidden if hidden_bias is None else of_hidden + hidden_bias
    (r, z, n), (r_h, z_h, n_h) = of_input.chunk(3, 1), of_hidden.chunk(3, 1)
    r, z = (r + r_h).sigmoid(), (z + z_h).sigmoid()
    n = (n + r * n_h).tanh()
    return n + z * (h - n), torch.cat([r, z, n, n_h, h], 1)


def gru_cell_backward(d: Tensor, kept: Tensor, has_bias: bool) -> tuple[Tensor | None, ...]:
    """The gradients of the input's gates, the hidden state's, the state and both biases."""
    r, z, n, n_h, h = kept.chunk(5, 1)
    d_n = d * (1 - z) * (1 - n * n)
    of_r, of_z = d_n * n_h * r * (1 - r), d * (h - n) * z * (1 - z)
    of_input, of_hidden = torch.cat([of_r, of_z, d_n], 1), torch.cat([of_r, of_z, d_n * r], 1)
    biases = (of_input.sum(0), of_hidden.sum(0)) if has_bias else (None, None)
    return of_input, of_hidden, d * z, *biases
