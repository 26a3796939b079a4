"""Fast forms of the LSTM of ``torch.nn.LSTM``; :class:`..layers.lstm.LSTM` has its equations.

Measured on a CPU with ``seq2seq_constituency``: its decoder parses batches in 0.89 of the time with
:func:`lstm_step`, and a sentence in 0.37 with :func:`lstm_row_step`; updates take 0.93 with
:class:`LSTMScan`. With :func:`packed_lstm` and the rectangles of :mod:`.sequences`, ``spa_dep``
parses a sentence in 0.77 of the time of steps and batches in 0.83; updates take 0.91.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from . import private_torch
from .linear import Pack, packed_linear, row_map
from .sequences import first_rows, states_before


def _doubled(parameter: Tensor) -> Tensor:
    """Return weights or biases of the gates i, f, g, o with the rows of g times two."""
    i_f, g, o = parameter.split([len(parameter) // 2, *[len(parameter) // 4] * 2])
    return torch.cat([i_f, g * 2, o])


def _advance(
    gates: Tensor,
    c: Tensor,
    h: Tensor | None = None,
    new_c: Tensor | None = None,
    sigmoid_c: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Return the new h and c, written into the tensors given.

    Args:
        gates: (N, 4 * hidden) sigmoids of i, f, 2g and o.
        c: (N, hidden) the memory before.
        h: (N, hidden) to be filled.
        new_c: (N, hidden) to be filled.
        sigmoid_c: (N, hidden) to be filled with sigmoid(2c) of the new memory.
    """
    i, f, s, o = gates.chunk(4, 1)
    new_c = torch.mul(f, c, out=new_c).addcmul_(i, s, value=2).sub_(i)
    sigmoid_c = torch.mul(new_c, 2, out=sigmoid_c).sigmoid_()
    return torch.lerp(o.neg(), o, sigmoid_c, out=h), new_c


def lstm_step(
    weight_x: Tensor, weight_h: Tensor, bias: Tensor | None, pack: Pack = packed_linear
) -> Callable[..., list[Tensor]]:
    """Return the step of a loop without gradients, see :class:`..layers.recurrent.Step`.

    The gates of the candidate g come in doubled: tanh(a) = 2 sigmoid(2a) - 1, so that one sigmoid
    serves all four gates.
    """
    weight = _doubled(torch.cat([weight_x, weight_h], 1))
    gates_of = pack(weight, None if bias is None else _doubled(bias))

    def step(
        inputs: Sequence[Tensor], state: Sequence[Tensor], projected: Tensor | None = None
    ) -> list[Tensor]:
        h, c = state
        gates = gates_of(*inputs, h)
        if projected is not None:  # its part of g comes in once more
            gates.add_(projected).chunk(4, 1)[2].add_(projected.chunk(4, 1)[2])
        return list(_advance(gates.sigmoid_(), c))

    return step


def lstm_row_step(weight_h: Tensor) -> Callable[[Tensor, Tensor, Tensor], None]:
    """Return a step of decoding for one row, with as few operations as can be, in the precision of
    the context.

    Of a single row the calls cost more than what they compute.

    Args:
        weight_h: (4 * hidden, hidden) from :func:`.linear.row_weight`.

    Returns:
        A function of the projected inputs, (4 * hidden,), and of h and c, (hidden,) each, which it
        replaces in place.
    """
    gates_of = row_map(weight_h)
    gates = weight_h.new_empty(len(weight_h))
    i, f, s, o = gates.chunk(4)
    sigmoid_c = torch.empty_like(i)

    def step(projected: Tensor, h: Tensor, c: Tensor) -> None:
        gates_of(projected, h, gates)
        s.mul_(2)
        gates.sigmoid_()
        c.mul_(f).addcmul_(i, s, value=2).sub_(i)
        torch.mul(c, 2, out=sigmoid_c).sigmoid_()
        torch.mul(o, sigmoid_c, out=h).mul_(2).sub_(o)

    return step


class LSTMScan(torch.autograd.Function):
    """An LSTM over sequences, step by step.

    Autograd would allocate a gradient of the whole batch for every step and multiply every step's
    small matrices for the weights' gradient; here that is one product. What does not depend on the
    recurrence is computed for all steps at once.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        projected: Tensor,
        weight: Tensor,
        h0: Tensor,
        c0: Tensor,
        sizes: Sequence[int],
    ) -> tuple[Tensor, Tensor]:
        """Return h and c after every step: (S, hidden) each.

        Args:
            ctx: Autograd's context.
            projected: (S, 4 * hidden) W_x x + b, step after step.
            weight: (4 * hidden, hidden) W_h.
            h0: (sizes[0], hidden) h before the first step.
            c0: (sizes[0], hidden) c before the first step.
            sizes: Rows of each step; they continue the first ones of the step before.
        """
        n = weight.shape[1]
        gates = projected.clone()
        gates[:, 2 * n : 3 * n] *= 2
        doubled = _doubled(weight)
        recurrent = packed_linear(doubled)
        h, c, sigmoid_c = (gates.new_empty(len(gates), n) for _ in range(3))
        h_before, c_before = h0, c0
        for start, size in zip(first_rows(sizes), sizes, strict=True):
            rows = slice(start, start + size)
            gate = gates[rows].add_(recurrent(h_before[:size])).sigmoid_()
            out = h[rows], c[rows], sigmoid_c[rows]
            h_before, c_before = _advance(gate, c_before[:size], *out)
        ctx.save_for_backward(gates, weight, h, c, sigmoid_c, h0, c0)
        ctx.sizes = sizes
        ctx.set_materialize_grads(False)
        return h, c

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad_h: Tensor | None, grad_c: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        gates, weight, h, c, sigmoid_c, h0, c0 = ctx.saved_tensors
        sizes, n = ctx.sizes, weight.shape[1]
        h_before, c_before = (states_before(*x, sizes, None) for x in ((h0, h), (c0, c)))
        i, f, s, o = gates.chunk(4, 1)
        # d gate / d c for i, f and g, and d gate / d h for o: what the recurrence multiplies.
        slopes = torch.addcmul(gates, gates, gates, value=-1).view(-1, 4, n)
        slopes[:, 0] *= s * 2 - 1
        slopes[:, 1] *= c_before
        slopes[:, 2] *= i * 4
        slopes[:, 3] *= sigmoid_c * 2 - 1
        to_c = torch.addcmul(sigmoid_c, sigmoid_c, sigmoid_c, value=-1).mul_(o).mul_(4)
        d_h, d_c = (torch.zeros_like(h) if g is None else g.clone() for g in (grad_h, grad_c))
        d_gates = slopes.view(-1, 4 * n)  # scaled in place, step by step
        back = packed_linear(weight.t())
        d_before = torch.zeros_like(h0), torch.zeros_like(c0)
        first = first_rows(sizes)
        for step in reversed(range(len(sizes))):
            rows = slice(first[step], first[step] + sizes[step])
            d_h_rows, d_c_rows, gate = d_h[rows], d_c[rows], slopes[rows]
            d_c_rows.addcmul_(d_h_rows, to_c[rows])
            gate[:, :3] *= d_c_rows.unsqueeze(1)
            gate[:, 3] *= d_h_rows
            d_before = back(d_gates[rows]), d_c_rows * f[rows]
            if step:
                for d, d_part in zip((d_h, d_c), d_before, strict=True):
                    d[first[step - 1] :][: sizes[step]] += d_part
        return d_gates, d_gates.t() @ h_before, *d_before, None


def packed_lstm(weights: Sequence[Tensor]) -> Callable[[Tensor, Sequence[Tensor]], Tensor]:
    """Return the outputs of ``torch.lstm`` as a function of its input and of the states before.

    Args:
        weights: W_x, (4 * hidden, n_input), W_h, (4 * hidden, hidden), and two biases.

    Returns:
        A function of x, (steps, sequences, n_input), and of h and c, (1, sequences, hidden) each.
    """
    is_trained = torch.is_grad_enabled()
    if not is_trained:  # what holds a parameter could not be kept with it
        w_x, w_h, *biases = weights = [weight.detach() for weight in weights]
        if packed := private_torch.packed_lstm(w_x, w_h, biases):
            return packed
    return lambda x, before: torch.lstm(
        x, list(before), list(weights), True, 1, 0.0, is_trained, False, False
    )[0]
