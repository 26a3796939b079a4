"""Several recurrent layers read as a stack: an LSTM whose states may be returned to (§2.2).

A push continues the state that the stack pointer names, and a pop moves the pointer back; no state
is ever overwritten. With the gold actions known the pushes form a trie, and :meth:`scan` computes
all of them, or :meth:`read` where nothing is popped; without, :meth:`step` pushes one element on
each stack of a batch.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from ..kernels.sequences import Sequences
from ..kernels.trie_lstm import Trie
from ..layers.cells import CELLS, Cell
from ..layers.dropout import SentenceDropout
from ..layers.initialization import glorot_uniform_

Push = Callable[[Tensor, Tensor, Tensor], None]


class RecurrentStack(nn.Module):
    """``depth`` layers of one cell over a learned empty-stack element.

    n_input: width of an element. hidden: width of a layer. cell: ``torch``, ``paper`` or ``rnn``.
    n_guards: how many learned elements lie at the bottom: the empty-stack token, then ROOT.
    """

    def __init__(self, n_input: int, hidden: int, depth: int, cell: str, n_guards: int = 1) -> None:
        super().__init__()
        kind = CELLS[cell]
        cells = [kind(n_input if layer == 0 else hidden, hidden) for layer in range(depth)]
        self.layers: Sequence[Cell] = nn.ModuleList(cells)  # type: ignore[assignment]
        self.hidden = hidden
        self.guards = nn.Parameter(torch.empty(n_guards, n_input))
        for guard in self.guards.data:
            glorot_uniform_(guard)

    @property
    def state_sizes(self) -> list[int]:
        return [layer.state_size for layer in self.layers]

    def initial(self) -> list[Tensor]:
        """The state of every layer after the guards: ``(state_size,)`` each."""
        states = [self.guards.new_zeros(1, size) for size in self.state_sizes]
        for guard in self.guards:
            states = self.step(self.layers[0].project(guard.unsqueeze(0)), states)
        return [state.squeeze(0) for state in states]

    def step(self, projected: Tensor, states: list[Tensor]) -> list[Tensor]:
        """Push one element. projected: (N, n_gates * hidden), the first layer's projection of the
        elements; states: for each layer (N, state_size). Returns the new states."""
        new: list[Tensor] = []
        for layer, state in zip(self.layers, states, strict=True):
            if new:
                projected = layer.project(new[-1][:, : self.hidden])
            new.append(layer.step(projected, state))
        return new

    def decode_step(self) -> tuple[Push, Tensor]:
        """For decoding: a function that pushes one element, and the state over the guards.

        The function takes the elements, (N, n_input), the layers' stored states side by side, (N,
        n_state), and where to write the new ones; the state is (n_state,).
        """
        steps = [
            layer.decode_step(reads_stored=depth > 0) for depth, layer in enumerate(self.layers)
        ]
        over_guards = zip(self.layers, self.initial(), strict=True)
        initial = [layer.stored(state) for layer, state in over_guards]
        n_state = self.layers[0].n_state
        parts = [slice(i * n_state, (i + 1) * n_state) for i in range(len(steps))]
        n_parts = len(steps) * n_state

        def push(x: Tensor, state: Tensor, out: Tensor) -> None:
            old, new = state.chunk(n_parts, 1), out.chunk(n_parts, 1)
            for step, part in zip(steps, parts, strict=True):
                step(x, old[part], new[part])
                x = new[part.start]

        return push, torch.cat(initial)

    def top(self, states: Tensor) -> Tensor:
        """The top layer's stored h, h times the cell's ``stored_h``: (N, hidden)."""
        start = states.shape[1] - self.layers[-1].state_size
        return states[:, start : start + self.hidden]

    def scan(
        self, projected: Tensor, trie: Trie, drop: SentenceDropout | None = None
    ) -> tuple[Tensor, Tensor]:
        """All pushes of a trie. projected: (T, n_gates * hidden), the first layer's projection of
        the elements, in the trie's order; drop: applied between the layers. Returns the top layer's
        h after each push, (T, hidden) in the caller's order, and after the guards, (hidden,)."""
        initial = self.initial()
        h = projected
        for depth, (layer, state) in enumerate(zip(self.layers, initial, strict=True)):
            if depth > 0:
                h = layer.project(h if drop is None else drop(h, trie.order))
            h = layer.scan(h, state, trie)
        return h.index_select(0, trie.inverse), initial[-1][: self.hidden]

    def read(
        self, elements: Tensor, sequences: Sequences, drop: SentenceDropout | None = None
    ) -> tuple[Tensor, Tensor]:
        """All pushes of sequences from which nothing is popped. elements: (N, n_input) in the
        caller's order; drop and what is returned: as in :meth:`scan`."""
        initial = self.initial()
        h = elements
        for depth, (layer, state) in enumerate(zip(self.layers, initial, strict=True)):
            shown = h if drop is None or depth == 0 else drop(h)
            h = layer.read(shown, state, sequences)
        return h, initial[-1][: self.hidden]
