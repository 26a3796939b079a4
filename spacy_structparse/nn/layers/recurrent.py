"""The interface of a recurrent layer: steps, scan and read; and several layers on one another.

The equation of a layer's paper is in ``gated`` (of the GRU in :func:`gru_state`). A step applies it
in a loop, a scan advances all nodes of tries that have one depth together, and reading is a scan of
sequences.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..fast.device import rows_of
from ..fast.gru import GRUScan, tanh_
from ..fast.linear import Pack, linear, linear_function, packed_function
from ..fast.sequences import Sequences, first_rows, last_rows
from .renamed_parameters import rename_recurrent
from .training import glorot_uniform_gates_

# cuDNN wants all weights in one piece of memory, which Thinc's optimizers do not keep.
warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous")

State = list[Tensor]
"""The tensors of a layer's state, (N, hidden) each; the first one, h, is its output."""


Step = Callable[..., State]
"""A step of a loop: a function of inputs side by side, without the columns projected before the
loop; of the state; and of (N, n_gates * hidden) what the projected columns add to the gates, or
None. It returns the new state, h first."""


class RecurrentLayer(nn.Module, ABC):
    """One recurrent layer.

    Attributes:
        n_gates: Blocks of ``hidden`` rows in its weights.
        n_parts: Tensors in a state.
        library: The function of torch that reads packed sequences on a GPU, if there is one.
    """

    n_gates: int
    n_parts: int
    library: Callable[..., tuple[Tensor, ...]] | None = None

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__()
        self.n_input, self.hidden = n_input, hidden
        self.weight_x = nn.Parameter(torch.empty(self.n_gates * hidden, n_input))
        self.weight_h = nn.Parameter(torch.empty(self.n_gates * hidden, hidden))
        for weight in (self.weight_x, self.weight_h):
            glorot_uniform_gates_(weight, hidden)

    @property
    @abstractmethod
    def input_bias(self) -> Tensor | None:
        """The bias that is added to W_x x."""

    def project(self, x: Tensor) -> Tensor:
        """Return W_x x + b, (N, n_gates * hidden), for x of (N, n), the first n columns."""
        return linear(x, self.weight_x[:, : x.shape[1]], self.input_bias)

    @abstractmethod
    def step_function(self, n_projected: int = 0, pack: Pack = packed_function) -> Step:
        """Return the step of a loop, its weights arranged once: with gradients, for a loop through
        which they go back once.

        Args:
            n_projected: The first columns of inputs, projected before the loop.
            pack: Packs the weights of an LSTM, without gradients.
        """

    def scan(
        self,
        projected: Tensor,
        state: State,
        sizes: Sequence[int],
        parents: Tensor | None = None,
    ) -> State:
        """Return the states of all nodes of tries or sequences: (T, hidden) each.

        Args:
            projected: (T, n_gates * hidden) the projected inputs, step after step.
            state: (sizes[0], hidden) each, before the first step.
            sizes: Nodes of each step.
            parents: (T,) the node that each continues, see :class:`..fast.sequences.Trie`; None
                where the nodes of a step continue the first ones of the step before.
        """
        step, first = self.step_function(self.n_input), first_rows(sizes)
        states: list[State] = []
        for i, inputs in enumerate(projected.split(list(sizes))):
            if i and parents is not None:
                rows = parents[first[i] :][: sizes[i]] - first[i - 1]
                state = [part.index_select(0, rows) for part in state]
            state = step([], [part[: len(inputs)] for part in state], inputs)
            states.append(state)
        return [torch.cat(part) for part in zip(*states, strict=True)]

    def run(self, x: Tensor, state: State, sizes: Sequence[int]) -> tuple[Tensor, State]:
        """Return the outputs of sequences, (S, hidden), and the state that each ends in.

        Args:
            x: (S, n_input), step after step.
            state: (sizes[0], hidden) each, before the first step.
            sizes: Rows of each step, none more than before.
        """
        if x.device.type != "cpu" and self.library is not None:
            return self.run_library(x, state, sizes)
        states = self.scan(self.project(x), state, sizes)
        last = last_rows(sizes)
        return states[0], [rows_of(part, last) for part in states]

    def run_library(self, x: Tensor, state: State, sizes: Sequence[int]) -> tuple[Tensor, State]:
        """Run sequences in one call, as cuDNN can; arguments are those of :meth:`run`."""
        assert self.library is not None
        before: Any = [part[None].contiguous() for part in state]
        h, *last = self.library(
            *(x, torch.tensor(sizes), before if len(before) > 1 else before[0]),
            *(self.library_weights(), True, 1, 0.0, torch.is_grad_enabled(), False),
        )
        return h, [part[0] for part in last]

    def read(self, x: Tensor, state: State, sequences: Sequences) -> Tensor:
        """Return the outputs of all elements of sequences: (N, hidden).

        Args:
            x: (N, n_input) the sequences end to end.
            state: (hidden,) each, before every sequence.
            sequences: The layout of the sequences.
        """
        if not len(sequences.lengths):
            return x.new_empty(0, self.hidden)
        trie = sequences.by_step(x)
        before = [part.expand(len(sequences.lengths), -1) for part in state]
        h, _ = self.run(x.index_select(0, trie.order), before, trie.sizes)
        return h.index_select(0, trie.inverse)

    def library_weights(self) -> list[Tensor]:
        """Return the weights in the order of ``library``: W_x, W_h and two biases."""
        raise NotImplementedError


class SummingLayer(RecurrentLayer):
    """A layer that sees no more of inputs and h than the sum W_x x + W_h h + b.

    Args:
        n_input: Width of inputs.
        hidden: Width of the layer.
        has_bias: Whether there is a b.
    """

    bias: Tensor | None

    def __init__(self, n_input: int, hidden: int, has_bias: bool = True) -> None:
        super().__init__(n_input, hidden)
        bias = nn.Parameter(torch.zeros(self.n_gates * hidden)) if has_bias else None
        self.register_parameter("bias", bias)

    @abstractmethod
    def gated(self, gates: Tensor, state: State) -> State:
        """Return the state after one step, from the sum, (N, n_gates * hidden)."""

    @property
    def input_bias(self) -> Tensor | None:
        return self.bias

    def step_function(self, n_projected: int = 0, pack: Pack = packed_function) -> Step:
        weight = torch.cat([self.weight_x[:, n_projected:], self.weight_h], 1)
        sum_of = linear_function(weight, None if n_projected else self.bias)

        def step(inputs: Sequence[Tensor], state: State, projected: Tensor | None = None) -> State:
            gates = sum_of(*inputs, state[0])
            return self.gated(gates if projected is None else gates + projected, state)

        return step


def gru_state(from_x: Tensor, from_h: Tensor, h: Tensor) -> Tensor:
    """Return h' = (1 - z) n + z h, with r and z = sigmoid(x + W h) and n = tanh(x + r W h).

    Args:
        from_x: (..., 3 * hidden) what inputs add to the gates r, z and n, bias included.
        from_h: (..., 3 * hidden) what states add to them, bias included.
        h: (..., hidden).
    """
    (x_r, x_z, x_n), (h_r, h_z, h_n) = from_x.chunk(3, -1), from_h.chunk(3, -1)
    r, z = (x_r + h_r).sigmoid(), (x_z + h_z).sigmoid()
    n = torch.addcmul(x_n, r, h_n)
    return torch.lerp(n.tanh() if n.requires_grad else tanh_(n), h, z)


class GRU(RecurrentLayer):
    """The gated recurrent unit of ``torch.nn.GRU``. Gates in the order r, z, n."""

    n_gates, n_parts = 3, 1
    library = staticmethod(torch.gru)

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__(n_input, hidden)
        self.bias_x = nn.Parameter(torch.zeros(3 * hidden))
        self.bias_h = nn.Parameter(torch.zeros(3 * hidden))

    @property
    def input_bias(self) -> Tensor:
        return self.bias_x

    def step_function(self, n_projected: int = 0, pack: Pack = packed_function) -> Step:
        of_input = linear_function(
            self.weight_x[:, n_projected:], None if n_projected else self.bias_x
        )
        of_state = linear_function(self.weight_h, self.bias_h)

        def step(inputs: Sequence[Tensor], state: State, projected: Tensor | None = None) -> State:
            if projected is None:
                from_x = of_input(*inputs)
            else:  # no input may be left
                from_x = of_input(*inputs) + projected if inputs else projected
            return [gru_state(from_x, of_state(state[0]), state[0])]

        return step

    def scan(
        self,
        projected: Tensor,
        state: State,
        sizes: Sequence[int],
        parents: Tensor | None = None,
    ) -> State:
        if parents is not None:
            return super().scan(projected, state, sizes, parents)
        return [GRUScan.apply(projected, self.weight_h, self.bias_h, state[0], sizes)]

    def library_weights(self) -> list[Tensor]:
        return [self.weight_x, self.weight_h, self.bias_x, self.bias_h]


LayersStep = Callable[..., tuple[Tensor, Tensor]]
"""A :data:`Step` of all layers: its state is (N, state_size), and it returns h of the topmost layer
and the new state."""


class StackedLayers(nn.Module):
    """Recurrent layers of one kind.

    A state of all layers is one tensor (N, state_size), layer by layer from the lowest up, h first
    in each, so that a beam reorders it in one operation.

    Args:
        kind: The kind of layer.
        n_input: Width of inputs.
        hidden: Width of a layer.
        depth: Number of layers.
        gain: Factor of the initial weights of inputs in layers above the first.
    """

    def __init__(
        self, kind: type[RecurrentLayer], n_input: int, hidden: int, depth: int, gain: float = 1.0
    ) -> None:
        super().__init__()
        self.n_input, self.hidden, self.depth = n_input, hidden, depth
        layers = [kind(hidden if layer else n_input, hidden) for layer in range(depth)]
        for layer in layers[1:]:
            layer.weight_x.data.mul_(gain)
        self.layers: Sequence[RecurrentLayer] = nn.ModuleList(layers)  # type: ignore[assignment]
        self.n_parts = kind.n_parts

    @property
    def state_size(self) -> int:
        return self.depth * self.n_parts * self.hidden

    def parts(self, state: Tensor) -> list[State]:
        """Return the state of each layer: depth times n_parts of (N, hidden)."""
        chunks = list(state.chunk(self.depth * self.n_parts, 1))
        return [chunks[i : i + self.n_parts] for i in range(0, len(chunks), self.n_parts)]

    def step_function(
        self, n_projected: int = 0, rate: float = 0.0, pack: Pack = packed_function
    ) -> LayersStep:
        """Return the step of all layers for a loop, see :meth:`RecurrentLayer.step_function`.

        Args:
            n_projected: The first columns of inputs, projected before the loop.
            rate: Dropout between layers.
            pack: Packs the weights of LSTMs, without gradients.
        """
        steps: list[Step] = []
        for layer in self.layers:
            steps.append(layer.step_function(0 if steps else n_projected, pack))

        def step(
            inputs: Sequence[Tensor], state: Tensor, projected: Tensor | None = None
        ) -> tuple[Tensor, Tensor]:
            new: State = []
            for layer, before in zip(steps, self.parts(state), strict=True):
                if new and rate:
                    inputs = [dropout(inputs[0], rate)]
                after = layer(inputs, before, projected)
                new += after
                inputs, projected = after[:1], None
            return inputs[0], torch.cat(new, 1) if len(new) > 1 else new[0]

        return step

    def read(
        self, x: Tensor, sizes: Sequence[int], state: Tensor, rate: float = 0.0
    ) -> tuple[Tensor, Tensor]:
        """Read whole sequences.

        Args:
            x: (S, n_input), step after step.
            sizes: Rows of each step, none more than before.
            state: (sizes[0], state_size).
            rate: Dropout between layers.

        Returns:
            h of the topmost layer, (S, hidden), and the state that each sequence ends in.
        """
        ended: State = []
        for layer, before in zip(self.layers, self.parts(state), strict=True):
            if ended and rate:
                x = dropout(x, rate)
            x, last = layer.run(x, before, sizes)
            ended += last
        return x, torch.cat(ended, 1)

    def _load_from_state_dict(
        self, state_dict: MutableMapping[str, Tensor], prefix: str, *args: Any
    ) -> None:
        rename_recurrent(state_dict, prefix, self.layers)
        super()._load_from_state_dict(state_dict, prefix, *args)
