"""What a decoder reads of the sentence at each step: attention, probabilistic or deterministic.

Probabilistic (Vinyals et al. 2015, §2.1; Bahdanau et al. 2015): every position of the sentence gets
a share, by a score that compares it with the decoder's state. Deterministic (Ma et al. 2017, §3.2):
the parser's own stack says which positions count, and each has a matrix of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from .autocast import in_one_precision, precision
from .cells import glorot_uniform_
from .deferred import Collector, DeferredLinear, tie
from .encoder import Encoded
from .packed_linear import project

# How many numbers of a comparison of positions with states are made at once: few enough that they
# stay in a core's cache.
COMPARED_TOGETHER = 1_000_000


@dataclass(frozen=True)
class KeyRows:
    """Which rows of :meth:`DeterministicAttention.keys` stand for the positions of N states.

    first: (N, n_positions) the rows of each state's sentence's first position, in each place of D;
    padding: (n_positions,) the rows of a position that does not exist.
    """

    first: Tensor
    padding: Tensor

    def of(self, positions: Tensor) -> Tensor:
        """D as rows. positions: (N, n_positions) within the sentence, negative where there is
        none."""
        return torch.where(positions < 0, self.padding, positions * len(self.padding) + self.first)

    def prefix(self, n: int) -> "KeyRows":
        """Those of the first n states."""
        return KeyRows(self.first[:n], self.padding)

    def select(self, states: Tensor) -> "KeyRows":
        """Those of some states. states: (N',)."""
        return KeyRows(self.first.index_select(0, states), self.padding)


class DeterministicAttention(nn.Module):
    """c = sum over m of A_m h[D_m] (Eq. 6).

    n_input: width of a position. n_positions: how many a step reads, |D|. width: of c.
    A position that does not exist is one learned vector (``padding``).
    """

    def __init__(self, n_input: int, n_positions: int, width: int) -> None:
        super().__init__()
        self.n_positions, self.width = n_positions, width
        self.padding = nn.Parameter(torch.zeros(n_input))
        self.weight = nn.Parameter(torch.empty(n_positions * width, n_input))
        glorot_uniform_(self.weight)

    def keys(self, positions: Tensor, then: Tensor | None = None) -> Tensor:
        """A_m h for every position and m: ((P + 1) * n_positions, width), padding last.

        positions: (P, n_input). then: (n, width), a linear map that c goes through next, which may
        as well be applied here: W sum A_m h = sum (W A_m) h; rows are then n wide."""
        every = torch.cat([positions, self.padding[None]])
        weight: Tensor = self.weight
        width = self.width
        if then is not None:
            maps = weight.view(self.n_positions, width, -1)
            weight, width = (then @ maps).flatten(0, 1), len(then)
        return project(every, weight).view(-1, width)

    def forward(self, keys: Tensor, rows: Tensor) -> Tensor:
        """c of each step: (N, width). rows: (N, n_positions), D as rows of :meth:`keys`, which
        :meth:`rows` finds."""
        return embedding_bag(rows, keys, mode="sum")

    def rows(self, starts: Tensor, n_positions: int) -> KeyRows:
        """The rows of :meth:`keys` for states. starts: (N,) where the sentence of each begins among
        the ``n_positions`` that have keys."""
        m = torch.arange(self.n_positions, device=starts.device)
        return KeyRows(starts[:, None] * self.n_positions + m, n_positions * self.n_positions + m)


@dataclass(frozen=True)
class Memory:
    """What probabilistic attention reads of B sentences, prepared.

    keys: (P, width) 2 W_1 h of every position, sentence after sentence. values: (B, longest,
    n_input) the positions, padded. lengths: (B,) positions of each sentence.
    sentence: (P,) the sentence of each position. place: (P,) its row in ``values``.
    """

    keys: Tensor
    values: Tensor
    lengths: np.ndarray
    sentence: Tensor
    place: Tensor

    def prefix(self, n: int) -> "Memory":
        """The first n sentences."""
        if n == len(self.lengths):
            return self
        end = int(self.lengths[:n].sum())
        return Memory(
            self.keys[:end],
            self.values[:n],
            self.lengths[:n],
            self.sentence[:end],
            self.place[:end],
        )

    def detached(self) -> "Memory":
        """The same without gradients."""
        return replace(self, keys=self.keys.detach(), values=self.values.detach())

    def select(self, sentences: np.ndarray) -> "Memory":
        """Some of the sentences. sentences: (B',) in ascending order."""
        return memory_of(
            self.keys.index_select(0, self._positions_of(sentences)),
            self.values.index_select(0, torch.from_numpy(sentences).to(self.keys.device)),
            self.lengths[sentences],
        )

    def _positions_of(self, sentences: np.ndarray) -> Tensor:
        kept = np.zeros(len(self.lengths), dtype=bool)
        kept[sentences] = True
        return torch.from_numpy(np.flatnonzero(np.repeat(kept, self.lengths))).to(self.keys.device)


def memory_of(keys: Tensor, values: Tensor, lengths: np.ndarray) -> Memory:
    """A memory from its keys, values (which may be padded more than they need be) and lengths."""
    sentence, place = _layout(lengths, keys.device)
    return Memory(keys, values[:, : int(lengths.max(initial=0))], lengths, sentence, place)


def _layout(lengths: np.ndarray, device: torch.device) -> tuple[Tensor, Tensor]:
    """(P,) the sentence of each position, and its row among positions padded to the longest."""
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(sentence)) - (np.cumsum(lengths) - lengths)[sentence]
    place = sentence * int(lengths.max(initial=0)) + within
    return torch.from_numpy(sentence).to(device), torch.from_numpy(place).to(device)


class ProbabilisticAttention(nn.Module):
    """d' = sum over i of a_i h_i, a = softmax(v tanh(W_1 h_i + W_2 d)) (Vinyals et al. §2.1).

    n_input: width of a position; n_state: of the decoder's d; hidden: of v.
    """

    def __init__(self, n_input: int, n_state: int, hidden: int) -> None:
        super().__init__()
        self.width = n_input
        self.of_position = nn.Linear(n_input, hidden, bias=False)
        self.of_state = nn.Linear(n_state, hidden, bias=False)
        self.v = nn.Parameter(torch.empty(hidden))
        for weight in (self.of_position.weight, self.of_state.weight, self.v):
            glorot_uniform_(weight)

    def memory(self, encoded: Encoded, order: np.ndarray | None = None) -> Memory:
        """The memory of sentences, in another order if one is given: (B',) sentences."""
        lengths = encoded.lengths
        order = np.arange(len(lengths)) if order is None else order
        n = lengths[order]
        longest = int(n.max(initial=0))
        # tanh(x) = 2 sigmoid(2x) - 1, and softmax does not see the 1: half the work on a CPU.
        weight = self.of_position.weight * 2
        positions = encoded.positions.to(precision(encoded.positions))
        if len(lengths) == len(n) == 1:  # it is as it must be, and may be long: no copy of it
            keys = project(positions, weight)
            return memory_of(keys, positions[None], n)
        sentence, place = _layout(n, encoded.positions.device)
        # The first position of each sentence, less its row among the padded ones.
        shift = torch.from_numpy(encoded.starts[order] - np.arange(len(n)) * longest)
        rows = place + shift.to(place.device).index_select(0, sentence)
        h = positions.index_select(0, rows)
        values = h.new_zeros(len(n) * longest, h.shape[1]).index_copy(0, place, h)
        keys = project(h, weight)
        return Memory(keys, values.view(len(n), longest, -1), n, sentence, place)

    def training_stepper(
        self, memory: Memory
    ) -> Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor | None]]:
        """A function from the states (n, n_state) of the first n sentences, and (n,) a position of
        each or None, to their d' and the logarithms of the shares of those positions, (n,), for a
        loop of many steps through which gradients go back once."""
        v = (self.v * 2).to(memory.keys.dtype)
        collected = _Collected(memory.detached(), v.detach())
        token = tie(collected, memory.keys, memory.values, v)
        query_of = DeferredLinear(self.of_state.weight * 2, self.v.new_zeros(len(self.v)))
        return lambda state, wanted: _Attend.apply(query_of(state), token, collected, wanted)

    def forward(self, memory: Memory, state: Tensor) -> tuple[Tensor, Tensor]:
        """d' and the shares. state: (B * k, n_state), k rows for each sentence of the memory.
        Returns (B * k, n_input) and (B * k, longest)."""
        n, longest = memory.values.shape[:2]
        query = (state @ (self.of_state.weight * 2).t()).view(n, -1, len(self.v))
        v, n_rows = self.v * 2, max(1, COMPARED_TOGETHER // query[0].numel())
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
        context = torch.bmm(shares, memory.values)
        return context.flatten(0, 1), shares.flatten(0, 1)


class _Collected(Collector):
    """A memory, v, and the buffers of their gradients."""

    def __init__(self, memory: Memory, v: Tensor) -> None:
        self.memory, self.v = memory, v
        self.d_keys, self.d_values = torch.zeros_like(memory.keys), torch.zeros_like(memory.values)
        self.d_v = torch.zeros_like(v)

    def gradients(self) -> tuple[Tensor, ...]:
        return self.d_keys, self.d_values, self.d_v


@in_one_precision
class _Attend(torch.autograd.Function):
    """d' of the first sentences of a memory from their queries, (n, hidden), and the logarithms of
    the shares of wanted positions, (n,), if any are."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, query: Tensor, token: Tensor, collected: _Collected, wanted: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        memory = collected.memory.prefix(len(query))
        n, longest = memory.values.shape[:2]
        compared = query.index_select(0, memory.sentence).add_(memory.keys).sigmoid_()
        padded = query.new_full((n * longest,), -torch.inf)
        padded.index_copy_(0, memory.place, compared @ collected.v)
        scores = padded.view(n, longest)
        shares = scores.softmax(1)
        ctx.memory, ctx.collected, ctx.wanted = memory, collected, wanted
        ctx.save_for_backward(compared, shares)
        log_shares = None
        if wanted is not None:
            log_shares = scores.gather(1, wanted[:, None])[:, 0] - scores.logsumexp(1)
        return torch.bmm(shares[:, None], memory.values)[:, 0], log_shares

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad: Tensor, d_log_shares: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        compared, shares = ctx.saved_tensors
        memory, collected = ctx.memory, ctx.collected
        n = len(shares)
        collected.d_values[:n].baddbmm_(shares[:, :, None], grad[:, None])
        # As a row times a matrix, this takes less than half the time of a matrix times a column.
        d_shares = torch.bmm(grad[:, None], memory.values.transpose(1, 2))[:, 0]
        d_padded = shares * (d_shares - (shares * d_shares).sum(1, keepdim=True))
        if d_log_shares is not None:
            d_padded -= shares * d_log_shares[:, None]
            d_padded.scatter_add_(1, ctx.wanted[:, None], d_log_shares[:, None])
        d_scores = d_padded.view(-1).index_select(0, memory.place)
        collected.d_v.addmv_(compared.t(), d_scores)
        d_compared = torch.addcmul(compared, compared, compared, value=-1)
        d_compared.mul_(d_scores[:, None]).mul_(collected.v)
        collected.d_keys[: len(compared)] += d_compared
        d_query = grad.new_zeros(n, compared.shape[1])
        return d_query.index_add_(0, memory.sentence, d_compared), None, None, None
