"""Recurrent layers read as a stack: an LSTM whose states may be returned to (Dyer et al. 2015,
§2.2).

A push continues the state that the stack pointer names, and a pop moves the pointer back; no state
is ever overwritten. With the gold actions known the pushes form a trie, and :meth:`scan` computes
all of them, or :meth:`read_sequences` where nothing is popped; without, :meth:`loop_step` pushes
one element on each stack of a batch.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..fast.linear import packed_linear
from ..fast.sequences import Sequences, Trie
from ..layers.lstm import LSTM, PeepholeLSTM
from ..layers.recurrent import RecurrentLayer, State, SummingLayer
from ..layers.stacked import StackedLayers
from ..layers.training import SentenceDropout, glorot_uniform_


class ElmanRNN(SummingLayer):
    """h' = tanh(W_x x + W_h h + b)."""

    n_gates, n_parts = 1, 1

    def gated(self, gates: Tensor, state: State) -> State:
        return [gates.tanh()]


CELLS: dict[str, type[RecurrentLayer]] = {"torch": LSTM, "paper": PeepholeLSTM, "rnn": ElmanRNN}


class RecurrentStack(StackedLayers):
    """Recurrent layers over learned elements at the bottom of the stack.

    Args:
        n_input: Width of an element.
        hidden: Width of a layer.
        depth: Number of layers.
        cell: ``torch``, ``paper`` or ``rnn``.
        n_guards: Learned elements at the bottom: the empty-stack token, then ROOT.
    """

    def __init__(self, n_input: int, hidden: int, depth: int, cell: str, n_guards: int = 1) -> None:
        super().__init__(CELLS[cell], n_input, hidden, depth)
        self.guards = nn.Parameter(torch.empty(n_guards, n_input))
        for guard in self.guards.data:
            glorot_uniform_(guard)

    def initial(self) -> tuple[Tensor, Tensor]:
        """Return h, (1, hidden), and the state, (1, state_size), of the empty stack."""
        h = self.guards.new_zeros(1, self.hidden)
        state = self.guards.new_zeros(1, self.state_size)
        push = self.loop_step()
        for guard in self.guards:
            h, state = push([guard[None]], state)
        return h, state

    def scan(
        self, projected: Tensor, trie: Trie, drop: SentenceDropout | None = None
    ) -> tuple[Tensor, Tensor]:
        """Compute all pushes of a trie.

        Args:
            projected: (T, n_gates * hidden) the first layer's projection of the elements, in the
                trie's order.
            trie: The pushes.
            drop: Dropout between the layers.

        Returns:
            h of the top layer after each push, (T, hidden), in the caller's order, and of the empty
            stack, (hidden,).
        """
        empty, state = self.initial()
        h = projected
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


Compose = Callable[[Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class CompositionLevels:
    """The parts of each reduction, the reductions sorted by level.

    Word i of a batch of N words is element i, reduction j is element N + j.

    Attributes:
        sizes: Reductions of each level; their sum is R.
        heads: (R,) elements.
        dependents: (R,) elements.
    """

    sizes: tuple[int, ...]
    heads: Tensor
    dependents: Tensor


class Composition(nn.Module):
    """The paper's composition of head, dependent and relation.

    Composition of partial trees: c = tanh(U [h; d; r] + e) (Dyer et al. 2015, §3.4).

    Compositions do not depend on the stack's LSTM, only on other compositions, so that with the
    gold actions known all reductions whose parts are ready are computed together, over the whole
    batch.

    Args:
        width: Width of an element.
        n_relation: Width of a relation's embedding.
    """

    def __init__(self, width: int, n_relation: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width, 2 * width))
        self.relation = nn.Linear(n_relation, width)
        for parameter in (self.weight, self.relation.weight):
            glorot_uniform_(parameter)
        nn.init.zeros_(self.relation.bias)

    def decode_step(self) -> Compose:
        """Return the composition for decoding, its weights arranged once.

        Returns:
            A function of head, dependent and relation, (N, width) each, the relation projected by
            ``self.relation``.
        """
        linear = packed_linear(self.weight)
        return lambda head, dependent, relation: linear(head, dependent).add_(relation).tanh_()

    def levels(self, words: Tensor, relations: Tensor, levels: CompositionLevels) -> Tensor:
        """Return all elements of a batch with known actions, words first, then reductions.

        Args:
            words: (N, width).
            relations: (R, width) U_r r + e of each reduction.
            levels: The parts of each reduction; the reductions of a level are made together.

        Returns:
            (N + R, width).
        """
        elements, start = words, 0
        for size in levels.sizes:
            level = slice(start, start + size)
            parts = torch.stack([levels.heads[level], levels.dependents[level]], 1).flatten()
            read = elements.index_select(0, parts).view(size, -1)
            composed = torch.addmm(relations[level], read, self.weight.t()).tanh()
            elements = torch.cat([elements, composed])
            start += size
        return elements


class HeadOnly(nn.Module):
    """No composition: a partial tree is represented by its head word (the paper's -composition)."""

    def decode_step(self) -> Compose:
        """Return the composition for decoding: the head's vector, (N, width)."""
        return lambda head, dependent, relation: head

    def levels(self, words: Tensor, relations: Tensor, levels: CompositionLevels) -> Tensor:
        """Return all elements of a batch with known actions: (N + R, width)."""
        sources = torch.arange(len(words) + len(levels.heads), device=words.device)
        start = len(words)
        for size in levels.sizes:
            level = slice(start - len(words), start - len(words) + size)
            sources[start : start + size] = sources[levels.heads[level]]
            start += size
        return words.index_select(0, sources)
