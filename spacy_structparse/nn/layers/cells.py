"""The recurrent cells a stack can be made of: ``torch``, ``paper`` and ``rnn``.

A state is one tensor ``(N, state_size)``: h and c side by side for an LSTM, h for the RNN. Every
cell does the same four things: project inputs ahead of time, step a batch of states, scan a trie of
inputs (:mod:`spacy_structparse.nn.kernels.trie_lstm`), and read sequences
(:mod:`spacy_structparse.nn.kernels.sequences`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from ..kernels.bfloat16 import reading_dtype
from ..kernels.packed_linear import packed_linear, project
from ..kernels.sequences import Sequences
from ..kernels.tanh import fast_tanh
from ..kernels.trie_lstm import Trie, TrieLSTMScan, trie_from_lengths
from .initialization import glorot_uniform_, glorot_uniform_gates_

Step = Callable[[Tensor, Sequence[Tensor], Sequence[Tensor]], None]


class Cell(nn.Module, ABC):
    """One recurrent layer.

    n_gates: how many blocks of ``hidden`` rows the projection has.
    state_size: the width of a state; its first ``hidden`` columns are the output h.
    """

    n_gates: int
    n_state: int
    stored_h = 1.0
    reads_bfloat16 = False  # whether sequences are read in bfloat16; only ``torch`` does

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.weight_x = nn.Parameter(torch.empty(self.n_gates * hidden, n_input))
        self.weight_h = nn.Parameter(torch.empty(self.n_gates * hidden, hidden))
        self.bias = nn.Parameter(torch.zeros(self.n_gates * hidden))
        for weight in (self.weight_x, self.weight_h):
            glorot_uniform_gates_(weight, hidden)
        if self.n_gates == 4:  # gates i, f, …: an LSTM that remembers learns sooner
            nn.init.ones_(self.bias.data[hidden : 2 * hidden])

    @property
    def state_size(self) -> int:
        return self.n_state * self.hidden

    def project(self, x: Tensor) -> Tensor:
        """W_x x + b. x: (N, n_input). Returns (N, n_gates * hidden)."""
        return project(x, self.weight_x, self.bias)

    @abstractmethod
    def step(self, projected: Tensor, state: Tensor) -> Tensor:
        """One step. projected: (N, n_gates * hidden); state: (N, state_size). The new state."""

    def decode_step(self, reads_stored: bool = False) -> Step:
        """A function (x, state, out) for decoding that writes the new state to ``out``, its weights
        arranged once. x: (N, n_input); state, out: the ``n_state`` parts of a state, (N, hidden)
        each, as :meth:`stored` makes it; reads_stored: x is the stored h of a layer below."""

        def step(x: Tensor, state: Sequence[Tensor], out: Sequence[Tensor]) -> None:
            new = self.step(self.project(x), torch.cat(list(state), 1))
            for part, place in zip(new.chunk(self.n_state, 1), out, strict=True):
                place.copy_(part)

        return step

    def stored(self, state: Tensor) -> Tensor:
        """A state in the form that :meth:`decode_step` keeps; its h is h times ``stored_h``."""
        return state

    def scan(self, projected: Tensor, state: Tensor, trie: Trie) -> Tensor:
        """The outputs of all nodes of a trie.

        projected: (T, n_gates * hidden) in the trie's order; state: (state_size,) before a root.
        Returns h: (T, hidden) in the trie's order.
        """
        states: list[Tensor] = []
        above = 0  # the first node of the depth above
        for depth, (inputs, parents) in enumerate(trie.by_depth(projected, trie.parents)):
            if depth == 0:
                previous = state.expand(len(inputs), -1)
            else:
                previous = states[-1].index_select(0, parents - above)
                above += len(states[-1])
            states.append(self.step(inputs, previous))
        h = [one[:, : self.hidden] for one in states]
        return torch.cat(h) if h else projected.new_empty(0, self.hidden)

    def read(self, x: Tensor, state: Tensor, sequences: Sequences) -> Tensor:
        """The outputs of all elements of sequences.

        x: (N, n_input), the sequences end to end; state: (state_size,) before each. Returns h:
        (N, hidden) in the order of x.
        """
        trie = trie_from_lengths(sequences.lengths, sequences.reverse).to(x.device)
        projected = self.project(x).index_select(0, trie.order)
        return self.scan(projected, state, trie).index_select(0, trie.inverse)


class TorchLSTMCell(Cell):
    """The LSTM of ``torch.nn.LSTM``: no peepholes. Gates in its order: i, f, g, o."""

    n_gates, n_state = 4, 2
    stored_h = 0.5

    def _doubled(self, parameter: Tensor) -> Tensor:
        """The rows of g times two, so that one sigmoid over all gates serves its tanh too."""
        n = self.hidden
        return torch.cat([parameter[: 2 * n], parameter[2 * n : 3 * n] * 2, parameter[3 * n :]])

    def project(self, x: Tensor) -> Tensor:
        return project(x, self._doubled(self.weight_x), self._doubled(self.bias))

    def step(self, projected: Tensor, state: Tensor) -> Tensor:
        h, c = state.split(self.hidden, 1)
        gates = torch.addmm(projected, h, self._doubled(self.weight_h).t()).sigmoid()
        i, f, g, o = gates.split(self.hidden, 1)
        c = f * c + i * (g * 2 - 1)
        return torch.cat([o * fast_tanh(c), c], 1)

    def decode_step(self, reads_stored: bool = False) -> Step:
        """As for every cell. reads_stored: x is the stored h of a layer below.

        h is stored halved and c doubled, the form that takes the fewest operations, since
        tanh(a) = 2 sigmoid(2a) - 1; the matrices that read h are doubled in turn.
        """
        weight_x = self._doubled(self.weight_x) * (2 if reads_stored else 1)
        weight = torch.cat([weight_x, self._doubled(self.weight_h) * 2], 1)
        gates_of = packed_linear(weight, self._doubled(self.bias), "sigmoid")

        def step(x: Tensor, state: Sequence[Tensor], out: Sequence[Tensor]) -> None:
            (h, c), (new_h, new_c) = state, out
            i, f, s, o = gates_of(x, h).chunk(4, 1)  # split is slower: it goes through Python
            torch.mul(f, c, out=new_c)
            new_c.addcmul_(i, s, value=4).sub_(i, alpha=2)
            torch.mul(o, new_c.sigmoid(), out=new_h)
            new_h.sub_(o, alpha=0.5)

        return step

    def stored(self, state: Tensor) -> Tensor:
        h, c = state.split(self.hidden, -1)
        return torch.cat([h * 0.5, c * 2], -1)

    def scan(self, projected: Tensor, state: Tensor, trie: Trie) -> Tensor:
        h0, c0 = state.split(self.hidden)
        return TrieLSTMScan.apply(projected, self._doubled(self.weight_h), h0, c0, trie)

    def read(self, x: Tensor, state: Tensor, sequences: Sequences) -> Tensor:
        if not sequences.rectangles:
            return x.new_empty(0, self.hidden)
        dtype = reading_dtype(x, self.reads_bfloat16)
        read = [self.weight_x, self.weight_h, self.bias, torch.zeros_like(self.bias)]
        weights = [weight.to(dtype) for weight in read]
        cells = x.to(dtype).index_select(0, sequences.order)
        h0, c0 = state.to(dtype).split(self.hidden)
        outputs, start = [], 0
        for steps, size in sequences.rectangles:
            end = start + steps * size
            before = tuple(s.expand(1, size, -1).contiguous() for s in (h0, c0))
            part = cells[start:end].view(steps, size, -1)
            # The function behind torch.nn.LSTM: oneDNN's on a CPU, cuDNN's on a GPU.
            h, _, _ = torch.lstm(
                part, before, weights, True, 1, 0.0, torch.is_grad_enabled(), False, False
            )
            outputs.append(h.reshape(end - start, -1))
            start = end
        return torch.cat(outputs).index_select(0, sequences.inverse).to(x.dtype)


class PaperLSTMCell(Cell):
    """The LSTM of Dyer et al. (2015), §2.1: full peephole matrices W_ic, W_fc, W_oc."""

    n_gates, n_state = 4, 2

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__(n_input, hidden)
        self.weight_c = nn.Parameter(torch.empty(2 * hidden, hidden))
        self.weight_oc = nn.Parameter(torch.empty(hidden, hidden))
        for block in (*self.weight_c.data.split(hidden), self.weight_oc):
            glorot_uniform_(block)

    def step(self, projected: Tensor, state: Tensor) -> Tensor:
        h, c = state.split(self.hidden, 1)
        gates = torch.addmm(projected, h, self.weight_h.t())
        i_f, o, g = gates.split([2 * self.hidden, self.hidden, self.hidden], 1)
        i, f = torch.addmm(i_f, c, self.weight_c.t()).sigmoid().split(self.hidden, 1)
        c = f * c + i * fast_tanh(g)
        o = torch.addmm(o, c, self.weight_oc.t()).sigmoid()
        return torch.cat([o * fast_tanh(c), c], 1)


class RNNCell(Cell):
    """The classical recurrent network of the paper's S-RNN rows: h = tanh(W_x x + W_h h + b)."""

    n_gates, n_state = 1, 1

    def step(self, projected: Tensor, state: Tensor) -> Tensor:
        return fast_tanh(torch.addmm(projected, state, self.weight_h.t()))


CELLS: dict[str, type[Cell]] = {"torch": TorchLSTMCell, "paper": PaperLSTMCell, "rnn": RNNCell}
