"""Fast forms of the LSTM of ``torch.nn.LSTM``; :class:`..layers.lstm.LSTM` has its equations.

Measured on a CPU with ``seq2seq_constituency``: its decoder parses batches in 0.89 of the time with
:func:`lstm_step_function`, and a sentence in 0.73 of the time of torch's operations with
:func:`lstm_row_step_function`. With :func:`packed_lstm_function` and the rectangles of
:mod:`.sequences`, ``spa_dep`` parses a sentence in 0.77 of the time of steps and batches in 0.83;
updates take 0.91.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from . import private_torch
from .linear import Pack, packed_function, row_function


def _doubled(parameter: Tensor) -> Tensor:
    """Return weights or biases of the gates i, f, g, o with the rows of g times two."""
    i_f, g, o = parameter.split([len(parameter) // 2, *[len(parameter) // 4] * 2])
    return torch.cat([i_f, g * 2, o])


def lstm_step_function(
    weight_x: Tensor, weight_h: Tensor, bias: Tensor | None, pack: Pack = packed_function
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
        i, f, s, o = gates.sigmoid_().chunk(4, 1)
        c = (f * c).addcmul_(i, s, value=2).sub_(i)
        return [torch.lerp(o.neg(), o, (c * 2).sigmoid_()), c]

    return step


def lstm_row_step_function(weight_h: Tensor, h: Tensor, c: Tensor) -> Callable[[Tensor], None]:
    """Return a step of decoding for one row, in the precision of the context.

    Of a single row the calls cost more than what they compute. NumPy's cost least, so that torch
    has the product alone.

    Args:
        weight_h: (4 * hidden, hidden) from :func:`.linear.row_weight`.
        h: (hidden,), which steps replace in place.
        c: (hidden,), which they replace, too.

    Returns:
        A function of the projected inputs, (4 * hidden,).
    """
    gates_of = row_function(weight_h)
    gates = weight_h.new_empty(len(weight_h))
    i, f, g, o = np.split(gates.numpy(), 4)
    cell, output, all_gates = c.numpy(), h.numpy(), gates.numpy()
    # sigmoid(a) = tanh(a / 2) / 2 + 1 / 2, so that one tanh serves all four gates.
    scale = np.repeat(np.array([0.5, 0.5, 1.0, 0.5], dtype=all_gates.dtype), len(c))
    shift = 1 - scale

    def step(projected: Tensor) -> None:
        gates_of(projected, h, gates)
        np.multiply(all_gates, scale, out=all_gates)
        np.tanh(all_gates, out=all_gates)
        np.multiply(all_gates, scale, out=all_gates)
        np.add(all_gates, shift, out=all_gates)
        np.multiply(cell, f, out=cell)
        np.multiply(i, g, out=i)
        np.add(cell, i, out=cell)
        np.tanh(cell, out=g)
        np.multiply(o, g, out=output)

    return step


def packed_lstm_function(weights: Sequence[Tensor]) -> Callable[[Tensor, Sequence[Tensor]], Tensor]:
    """Return the outputs of ``torch.lstm`` as a function of its input and of the states before.

    Args:
        weights: W_x, (4 * hidden, n_input), W_h, (4 * hidden, hidden), and two biases.

    Returns:
        A function of x, (steps, sequences, n_input), and of h and c, (1, sequences, hidden) each.
    """
    is_trained = torch.is_grad_enabled()
    if not is_trained:  # what holds a parameter could not be kept with it
        w_x, w_h, *biases = weights = [weight.detach() for weight in weights]
        if packed := private_torch.packed_lstm_function(w_x, w_h, biases):
            return packed
    return lambda x, before: torch.lstm(
        x, list(before), list(weights), True, 1, 0.0, is_trained, False, False
    )[0]
