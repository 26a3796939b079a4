"""``torch.lstm`` over rectangles of sequences on a CPU, its weights arranged once.

torch arranges them anew at every call, which takes a third of the time that a lone sentence takes.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .packed_linear import can_pack

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
