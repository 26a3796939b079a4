"""Additive attention (Vinyals et al. 2015, §2.1; Bahdanau et al. 2015).

Every position gets a share by a score that compares it with a query.
"""

from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..kernels.attention_loop import Memory, attention_step, memory_of
from ..kernels.autocast import precision
from ..kernels.deferred_gradients import DeferredLinear
from ..kernels.device import uploaded
from ..kernels.packed_linear import project
from .encoder import Encoded
from .initialization import glorot_uniform_
from .renamed_parameters import rename_attention

# Numbers of a comparison made at once: few enough that they stay in a cache that cores share.
COMPARED_TOGETHER = 1_000_000


class AdditiveAttention(nn.Module):
    """Shares a = softmax over i of v tanh(W_1 h_i + W_2 q + b).

    tanh(x) = 2 sigmoid(2x) - 1, which is faster on a CPU, and softmax does not see the 1: keys,
    queries and the v of :meth:`doubled_v` are twice those of the equation.

    Args:
        n_position: Width of a position h.
        n_query: Width of a query q.
        hidden: Width of v.
        has_bias: Whether there is a b.
    """

    bias: Tensor | None

    def __init__(self, n_position: int, n_query: int, hidden: int, has_bias: bool = True) -> None:
        super().__init__()
        self.width, self.hidden = n_position, hidden
        self.of_position = nn.Parameter(torch.empty(hidden, n_position))
        self.of_query = nn.Parameter(torch.empty(hidden, n_query))
        self.register_parameter("bias", nn.Parameter(torch.zeros(hidden)) if has_bias else None)
        self.v = nn.Parameter(torch.empty(hidden))
        for parameter in (self.of_position, self.of_query, self.v):
            glorot_uniform_(parameter)

    def key_map(self) -> tuple[Tensor, Tensor]:
        """Return weight and bias of the map from positions to keys."""
        return self.of_position * 2, self.v.new_zeros(self.hidden)

    def query_map(self) -> tuple[Tensor, Tensor]:
        """Return weight and bias of the map from queries to what keys are compared with."""
        bias = self.v.new_zeros(self.hidden) if self.bias is None else self.bias * 2
        return self.of_query * 2, bias

    def doubled_v(self) -> Tensor:
        """Return the v that compared keys and queries are multiplied by: (hidden,)."""
        return self.v * 2

    def shares(self, keys: Tensor, queries: Tensor) -> Tensor:
        """Return the shares of n positions: (m, n).

        Args:
            keys: (m, n, hidden) or (n, hidden), mapped by :meth:`key_map`.
            queries: (m, hidden), mapped by :meth:`query_map`.
        """
        compared = (queries[:, None] + keys).sigmoid()
        return (compared @ self.doubled_v().to(compared.dtype)).softmax(1)

    def _load_from_state_dict(
        self, state_dict: MutableMapping[str, Tensor], prefix: str, *args: Any
    ) -> None:
        rename_attention(state_dict, prefix)
        super()._load_from_state_dict(state_dict, prefix, *args)


class ProbabilisticAttention(AdditiveAttention):
    """The context d' = sum over i of a_i h_i of a decoder's state d (Vinyals et al. 2015, §2.1).

    Args:
        n_input: Width of a position.
        n_state: Width of the decoder's state.
        hidden: Width of v.
    """

    def __init__(self, n_input: int, n_state: int, hidden: int) -> None:
        super().__init__(n_input, n_state, hidden, has_bias=False)

    def memory(self, encoded: Encoded, order: np.ndarray | None = None) -> Memory:
        """Return the memory of sentences.

        Args:
            encoded: The sentences.
            order: (B',) the sentences in another order.
        """
        lengths = encoded.lengths
        positions = encoded.positions.to(precision(encoded.positions))
        if order is not None and not np.array_equal(order, np.arange(len(lengths))):
            starts, lengths = encoded.starts[order], lengths[order]
            # The first position of each sentence, less how many there are before it now.
            shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
            rows = torch.from_numpy(shift + np.arange(len(shift)))
            positions = positions.index_select(0, uploaded(rows, positions.device))
        return memory_of(project(positions, *self.key_map()), positions, lengths)

    def training_step(
        self, memory: Memory
    ) -> Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor | None]]:
        """Return a step of a loop through which gradients go back once.

        Args:
            memory: The sentences.

        Returns:
            A function of the states of the first n sentences, (n, n_state), and of a position of
            each, (n,) or None. It returns their d', (n, n_input), and the logarithms of the shares
            of these positions, (n,) or None.
        """
        attend = attention_step(memory, self.doubled_v().to(memory.keys.dtype))
        query_of = DeferredLinear(*self.query_map())
        return lambda state, wanted: attend(query_of(state), wanted)

    def forward(self, memory: Memory, state: Tensor) -> tuple[Tensor, Tensor]:
        """Attend with k states for each sentence of the memory.

        Args:
            memory: B sentences.
            state: (B * k, n_state), sentence after sentence.

        Returns:
            d', (B * k, n_input), and the shares, (B * k, longest).
        """
        n, longest = len(memory.lengths), memory.longest
        # Doubled as by query_map; there are fewer numbers in states than in weights.
        query = ((state * 2) @ self.of_query.t()).view(n, -1, self.hidden)
        v, n_rows = self.doubled_v(), max(1, COMPARED_TOGETHER // query[0].numel())
        compared = (
            query.index_select(0, sentence).add_(keys[:, None]).sigmoid_() @ v
            for keys, sentence in zip(
                memory.keys.split(n_rows), memory.sentence.split(n_rows), strict=True
            )
        )
        scores = torch.cat(list(compared))  # (P, k)
        padded = scores.new_full((n * longest, scores.shape[1]), -torch.inf)
        padded = padded.index_copy(0, memory.place, scores).view(n, longest, -1)
        shares = padded.softmax(1).transpose(1, 2)
        context = torch.bmm(shares, memory.padded)
        return context.flatten(0, 1), shares.flatten(0, 1)
