"""Layers of long short-term memory: torch's, and those of two papers."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from ..fast.device import in_fast_precision
from ..fast.linear import Pack, packed_function
from ..fast.lstm import lstm_step_function, packed_lstm_function
from ..fast.lstm_scan import LSTMScan
from ..fast.sequences import Sequences
from ..fast.weight_cache import cached
from .recurrent import GRU, StackedLayers, State, Step, SummingLayer
from .training import glorot_uniform_

# How much larger the weights of inputs begin in layers above the first of encoders and decoders:
# what a layer of LSTMs gives is at first a small part of what it reads.
HIGHER_LAYERS = 2.0


class ScannedLSTM(SummingLayer):
    """An LSTM whose scan has gradients of its own; it computes what :meth:`gated` says."""

    n_gates, n_parts = 4, 2
    bias: Tensor

    def peepholes(self) -> tuple[Tensor | None, Tensor | None]:
        """Return the matrices of the gates i and f, (2 * hidden, hidden), and of o, by which they
        see c."""
        return None, None

    def scan(
        self,
        projected: Tensor,
        state: State,
        sizes: Sequence[int],
        parents: Tensor | None = None,
    ) -> State:
        weights = self.weight_h, *self.peepholes()
        return list(LSTMScan.apply(projected, *weights, *state, sizes, parents))


class LSTM(ScannedLSTM):
    """The LSTM of ``torch.nn.LSTM``, without peepholes. Gates in the order i, f, g, o.

    The bias of the forget gates begins at one, so that a cell forgets little at first. The effect
    on a parser was not measured.
    """

    library = staticmethod(torch.lstm)

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__(n_input, hidden)
        nn.init.ones_(self.bias.data[hidden : 2 * hidden])

    def gated(self, gates: Tensor, state: State) -> State:
        i, f, g, o = gates.chunk(4, 1)
        c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        return [o.sigmoid() * c.tanh(), c]

    def step_function(self, n_projected: int = 0, pack: Pack = packed_function) -> Step:
        if torch.is_grad_enabled():
            return super().step_function(n_projected)
        bias = None if n_projected else self.bias
        return lstm_step_function(self.weight_x[:, n_projected:], self.weight_h, bias, pack)

    def read(self, x: Tensor, state: State, sequences: Sequences) -> Tensor:
        if x.device.type != "cpu" or not len(sequences.lengths):
            return super().read(x, state, sequences)
        lstm = cached(
            packed_lstm_function,
            [self.weight_x, self.weight_h, self.bias],
            lambda: packed_lstm_function(in_fast_precision(*self.library_weights())),
        )
        inputs, *before = in_fast_precision(x, *state)
        return _read_rectangles(inputs, before, lstm, sequences).to(x)

    def library_weights(self) -> list[Tensor]:
        return [self.weight_x, self.weight_h, self.bias, torch.zeros_like(self.bias)]


def _read_rectangles(
    x: Tensor, state: State, lstm: Callable[[Tensor, State], Tensor], sequences: Sequences
) -> Tensor:
    """Read a rectangle in each call, as oneDNN needs it: (N, hidden)."""
    cells = sequences.rectangles
    ordered = x.index_select(0, cells.order)
    outputs, start = [], 0
    for steps, size in cells.shapes:
        end = start + steps * size
        before = [part.expand(1, size, -1).contiguous() for part in state]
        h = lstm(ordered[start:end].view(steps, size, -1), before)
        outputs.append(h.reshape(end - start, -1))
        start = end
    return torch.cat(outputs).index_select(0, cells.inverse)


class PeepholeLSTM(ScannedLSTM):
    """The LSTM of Dyer et al. (2015), §2.1: full peephole matrices W_ic, W_fc, W_oc.

    Gates in the order i, f, o, g.
    """

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__(n_input, hidden)
        self.weight_c = nn.Parameter(torch.empty(2 * hidden, hidden))
        self.weight_oc = nn.Parameter(torch.empty(hidden, hidden))
        gates = [*self.bias.data.split(hidden), *self.weight_c.data.split(hidden)]
        for block in (*gates, self.weight_oc):  # biases, too, are uniform at first (§4)
            glorot_uniform_(block)

    def gated(self, gates: Tensor, state: State) -> State:
        c = state[1]
        i_f, o, g = gates.split([2 * self.hidden, self.hidden, self.hidden], 1)
        i, f = torch.addmm(i_f, c, self.weight_c.t()).sigmoid().chunk(2, 1)
        c = f * c + i * g.tanh()
        o = torch.addmm(o, c, self.weight_oc.t()).sigmoid()
        return [o * c.tanh(), c]

    def peepholes(self) -> tuple[Tensor, Tensor]:
        return self.weight_c, self.weight_oc


class VinyalsLSTM(SummingLayer):
    """The LSTM of Vinyals et al. (2015), §2: h = m * o, without biases."""

    n_gates, n_parts = 4, 2

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__(n_input, hidden, has_bias=False)

    def gated(self, gates: Tensor, state: State) -> State:
        i, f, o, g = gates.chunk(4, 1)
        m = state[1] * f.sigmoid() + i.sigmoid() * g.tanh()
        return [m * o.sigmoid(), m]


def stacked_layers(kind: str, cell: str, n_input: int, hidden: int, depth: int) -> StackedLayers:
    """Return the layers of an encoder or a decoder.

    Args:
        kind: ``gru`` or ``lstm``.
        cell: Which LSTM: ``torch``, or ``paper`` for that of Vinyals et al. (2015).
        n_input: Width of inputs.
        hidden: Width of a layer.
        depth: Number of layers.
    """
    lstm = VinyalsLSTM if cell == "paper" else LSTM
    return StackedLayers(GRU if kind == "gru" else lstm, n_input, hidden, depth, HIGHER_LAYERS)
