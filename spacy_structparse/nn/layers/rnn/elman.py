"""The classical recurrent network, the S-RNN of Dyer et al. (2015), §4."""

from torch import Tensor

from ...kernels.tanh import fast_tanh
from .layer import State, SummingLayer


class ElmanRNN(SummingLayer):
    """h' = tanh(W_x x + W_h h + b)."""

    n_gates, n_parts = 1, 1

    def gated(self, gates: Tensor, state: State) -> State:
        return [fast_tanh(gates)]
