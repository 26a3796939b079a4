"""Recurrent layers read as a stack: an LSTM whose states may be returned to (Dyer et al. 2015,
§2.2).

A push continues the state that the stack pointer names, and a pop moves the pointer back; no state
is ever overwritten. With the gold actions known the pushes form a trie, and :meth:`scan` computes
all of them, or :meth:`read_sequences` where nothing is popped: what a pop returns to is the parent
in the trie. Without, :meth:`step_function` pushes one element on each stack of a batch, and pops
look up ``below`` in :class:`.decoding.StackPool`.
"""

import torch
from torch import Tensor, nn

from ..fast.sequences import Sequences, Trie
from ..layers.lstm import LSTM, PeepholeLSTM
from ..layers.recurrent import RecurrentLayer, StackedLayers, State, SummingLayer
from ..layers.training import SentenceDropout, glorot_uniform_


class ElmanRNN(SummingLayer):
    """h' = tanh(W_x x + W_h h + b)."""

    n_gates, n_parts = 1, 1

    def gated(self, gates: Tensor, state: State) -> State:
        return [gates.tanh()]


CELLS: dict[str, type[RecurrentLayer]] = {"torch": LSTM, "paper": PeepholeLSTM, "rnn": ElmanRNN}


class StackRNN(StackedLayers):
    """Recurrent layers over learned elements at the bottom of the stack.

    Args:
        n_input: Width of an element.
        hidden: Width of a layer.
        depth: Number of layers.
        cell: ``torch``, ``paper`` or ``rnn``.
        n_bottom: Learned elements at the bottom: the empty-stack token, then ROOT if there are two.
    """

    def __init__(self, n_input: int, hidden: int, depth: int, cell: str, n_bottom: int = 1) -> None:
        super().__init__(CELLS[cell], n_input, hidden, depth)
        self.guards = nn.Parameter(torch.empty(n_bottom, n_input))
        for guard in self.guards.data:
            glorot_uniform_(guard)

    def initial(self) -> tuple[Tensor, Tensor]:
        """Return h, (1, hidden), and the state, (1, state_size), of the empty stack."""
        h = self.guards.new_zeros(1, self.hidden)
        state = self.guards.new_zeros(1, self.state_size)
        push = self.step_function()
        for guard in self.guards:
            h, state = push([guard[None]], state)
        return h, state

    def scan(
        self,
        elements: Tensor,
        pushed: Tensor,
        trie: Trie,
        drop: SentenceDropout | None = None,
    ) -> tuple[Tensor, Tensor]:
        """Compute all pushes of a trie.

        Args:
            elements: (E, n_input) of which some are pushed several times.
            pushed: (T,) the element of each push.
            trie: The pushes.
            drop: Dropout between the layers.

        Returns:
            h of the top layer after each push, (T, hidden), in the caller's order, and of the empty
            stack, (hidden,).
        """
        empty, state = self.initial()
        h = self.layers[0].project(elements).index_select(0, pushed.index_select(0, trie.order))
        for depth, (layer, before) in enumerate(zip(self.layers, self.parts(state), strict=True)):
            if depth > 0:
                h = layer.project(h if drop is None else drop(h, trie.order))
            first = [part.expand(trie.sizes[0], -1) for part in before]
            h = layer.scan(h, first, trie.sizes, trie.parents)[0]
        return h.index_select(0, trie.inverse), empty[0]

    def read_sequences(
        self, elements: Tensor, sequences: Sequences, drop: SentenceDropout | None = None
    ) -> tuple[Tensor, Tensor]:
        """Compute all pushes of sequences from which nothing is popped.

        Args:
            elements: (N, n_input) in the caller's order.
            sequences: The layout of the sequences.
            drop: Dropout between the layers.

        Returns:
            As :meth:`scan`.
        """
        empty, state = self.initial()
        h = elements
        for depth, (layer, before) in enumerate(zip(self.layers, self.parts(state), strict=True)):
            shown = h if drop is None or depth == 0 else drop(h)
            h = layer.read(shown, [part[0] for part in before], sequences)
        return h, empty[0]
