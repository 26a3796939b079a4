"""Fast forms of the LSTM of ``torch.nn.LSTM``; :class:`..layers.lstm.LSTM` has its equations."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .packed_linear import can_pack, packed_linear, row_map


def lstm_step(
    weight_x: Tensor, weight_h: Tensor, bias: Tensor, bfloat16: bool = False
) -> Callable[..., list[Tensor]]:
    """Return the step of a loop without gradients, see :class:`..layers.recurrent.Step`.

    It computes tanh(a) as 2 sigmoid(2a) - 1: the gates of the candidate g come in doubled, and one
    sigmoid serves all four gates.
    """
    n = weight_h.shape[1]
    weight, bias = torch.cat([weight_x, weight_h], 1), bias.clone()
    for doubled in (weight, bias):
        doubled[2 * n : 3 * n] *= 2
    gates_of = packed_linear(weight, bias, bfloat16)

    def step(inputs: Sequence[Tensor], state: Sequence[Tensor], _: None = None) -> list[Tensor]:
        h, c = state
        i, f, s, o = gates_of(*inputs, h).sigmoid_().chunk(4, 1)
        c = torch.mul(f, c).addcmul_(i, s, value=2).sub_(i)
        return [torch.lerp(o.neg(), o, (c * 2).sigmoid_()), c]

    return step


def lstm_row_step(
    weight_h: Tensor, bfloat16: bool = False
) -> Callable[[Tensor, Tensor, Tensor], None]:
    """Return a step of decoding for one row, with as few operations as can be.

    Of a single row the calls cost more than what they compute.

    Args:
        weight_h: (4 * hidden, hidden) from :func:`.packed_linear.row_weight`.
        bfloat16: Whether products are in bfloat16.

    Returns:
        A function of the projected inputs, (4 * hidden,), and of h and c, (hidden,) each, which it
        replaces in place.
    """
    gates_of = row_map(weight_h, bfloat16)
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


_LSTM = 2  # among oneDNN's kinds of recurrent layers


def packed_lstm(weights: Sequence[Tensor]) -> Callable[[Tensor, Sequence[Tensor]], Tensor]:
    """Return the outputs of ``torch.lstm`` as a function of its input and of the states before.

    Args:
        weights: W_x, (4 * hidden, n_input), W_h, (4 * hidden, hidden), and two biases.

    Returns:
        A function of x, (steps, sequences, n_input), and of h and c, (1, sequences, hidden) each.
        With gradients, and where oneDNN does not multiply the type, it calls ``torch.lstm``.
    """
    if not torch.is_grad_enabled():  # what holds a parameter could not be kept with it
        weights = [weight.detach() for weight in weights]
    w_x, w_h, *biases = weights
    arrange = getattr(torch.ops.mkldnn, "_reorder_mkldnn_rnn_layer_weight", None)
    if torch.is_grad_enabled() or arrange is None or not can_pack(w_x.dtype):
        return lambda x, before: torch.lstm(
            *(x, list(before), list(weights), True, 1, 0.0),
            *(torch.is_grad_enabled(), False, False),
        )[0]
    hidden = w_h.shape[1]
    arranged = arrange(w_x, w_h, hidden, False, True, False)
    read = torch.ops.aten.mkldnn_rnn_layer
    return lambda x, before: read(
        *(x, *arranged, *biases, *before, False, [], _LSTM, hidden, 1, True, False, False, False)
    )[0]
