"""Attention to the positions of a sentence.

Additive attention gives every position a share by a score that compares it with a query (Vinyals et
al. 2015, §2.1; Bahdanau et al. 2015). With deterministic attention the parser's own stack says
which positions count, and each has a matrix of its own (Ma et al. 2017, §3.2).
"""

from collections.abc import Callable, MutableMapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from ..fast.attention_loop import Memory, attend, attention_step_function, memory_of
from ..fast.device import rows_of, start_of_sentence
from ..fast.linear import fast_linear, linear, linear_function
from .encoder import Encoded
from .renamed_parameters import rename_attention
from .training import glorot_uniform_


class AdditiveAttention(nn.Module):
    """Shares a = softmax over i of v tanh(W_1 h_i + W_2 q + b).

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

    def scores(self, keys: Tensor, queries: Tensor, v: Tensor) -> Tensor:
        """Return v tanh(k + q) of keys and queries that are broadcast against each other.

        tanh(x) is 2 (sigmoid(2x) - 0.5), which is faster on a CPU. So all three are twice those of
        the equation.

        Args:
            keys: (..., hidden) 2 W_1 h.
            queries: (..., hidden) 2 (W_2 q + b).
            v: (hidden,) 2 v.
        """
        # A product with v would be slow in low precision.
        return (((keys + queries).sigmoid() - 0.5) * v).sum(-1)

    def _load_from_state_dict(
        self, state_dict: MutableMapping[str, Tensor], prefix: str, *args: Any
    ) -> None:
        rename_attention(state_dict, prefix)
        super()._load_from_state_dict(state_dict, prefix, *args)


class ProbabilisticAttention(AdditiveAttention):
    """The context d' = sum over i of a_i h_i of a decoder's state d (Vinyals et al. 2015, §2.1).

    Keys, queries and v are twice those of the equation, see :meth:`AdditiveAttention.scores`.

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
        positions = encoded.positions
        if order is not None and not np.array_equal(order, np.arange(len(lengths))):
            starts, lengths = encoded.starts[order], lengths[order]
            # The first position of each sentence, less how many there are before it now.
            shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
            rows = shift + np.arange(len(shift))
            positions = rows_of(positions, rows)
        return memory_of(linear(positions, self.of_position * 2), positions, lengths)

    def step_function(
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
        attend = attention_step_function(memory, self.v * 2)
        query_of = linear_function(self.of_query * 2)
        return lambda state, wanted: attend(query_of(state), wanted)

    def forward(self, memory: Memory, state: Tensor) -> tuple[Tensor, Tensor]:
        """Attend with k states for each sentence of the memory.

        Args:
            memory: B sentences.
            state: (B * k, n_state), sentence after sentence.

        Returns:
            d', (B * k, n_input), and the shares, (B * k, longest).
        """
        query = ((state * 2) @ self.of_query.t()).view(len(memory.lengths), -1, self.hidden)
        return attend(memory, query, self.v * 2)


class DeterministicAttention(nn.Module):
    """c = sum over m of A_m h[D_m] (Eq. 6).

    A position that does not exist is one learned vector (``padding``).

    Args:
        n_input: Width of a position.
        n_positions: How many positions a step reads, |D|.
        width: Width of c.
    """

    places: Tensor

    def __init__(self, n_input: int, n_positions: int, width: int) -> None:
        super().__init__()
        self.n_positions, self.width = n_positions, width
        self.padding = nn.Parameter(torch.zeros(n_input))
        self.weight = nn.Parameter(torch.empty(n_positions * width, n_input))
        glorot_uniform_(self.weight)
        self.register_buffer("places", torch.arange(n_positions), persistent=False)

    def keys(self, positions: Tensor, product: Callable[..., Tensor] = fast_linear) -> Tensor:
        """Return A_m h for every position and m: ((P + 1) * n_positions, width), padding last.

        Args:
            positions: (P, n_input).
            product: The product of positions and all A_m.
        """
        every = torch.cat([positions, self.padding[None]])
        return product(every, self.weight).view(-1, self.width)

    def forward(self, keys: Tensor, positions: Tensor, first: Tensor) -> Tensor:
        """Return c of each step: (N, width).

        Args:
            keys: Of :meth:`keys`.
            positions: (N, n_positions) D within the sentence, negative where there is none.
            first: (N, n_positions) the keys of the sentence's first position, see
                :meth:`first_keys`.
        """
        padding = self.places + (len(keys) - self.n_positions)
        rows = torch.where(positions < 0, padding, positions * self.n_positions + first)
        return embedding_bag(rows, keys, mode="sum")

    def first_keys(self, lengths: np.ndarray) -> Tensor:
        """Return the rows of :meth:`keys` for the first position of each sentence: (B,
        n_positions), one for each m.

        Args:
            lengths: (B,) positions of each sentence; they stand end to end.
        """
        return start_of_sentence(lengths, self.places)[:, None] * self.n_positions + self.places
