"""Additive attention (Vinyals et al. 2015, §2.1; Bahdanau et al. 2015).

Every position of a sentence gets a share, by a score that compares it with the decoder's state.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from ..kernels.autocast import in_one_precision, precision
from ..kernels.deferred_gradients import Collector, DeferredLinear, gradient_anchor
from ..kernels.packed_linear import project
from .encoder import Encoded
from .initialization import glorot_uniform_

# How many numbers of a comparison of positions with states are made at once: few enough that they
# stay in a core's cache, or in what cores share where each position is compared with many states.
KEPT_IN_CACHE = 100_000
KEPT_SHARES = 20_000_000  # numbers that steps leave, until they are multiplied
COMPARED_TOGETHER = 1_000_000


@dataclass(frozen=True)
class Memory:
    """What probabilistic attention reads of B sentences, prepared.

    keys: (P, width) 2 W_1 h of every position, sentence after sentence. positions: (P, n_input).
    lengths: (B,) positions of each sentence. sentence: (P,) the sentence of each position. place:
    (P,) its row where sentences are padded to as many positions as the ``longest`` has.
    """

    keys: Tensor
    positions: Tensor
    lengths: np.ndarray
    sentence: Tensor
    place: Tensor
    longest: int

    @cached_property
    def padded(self) -> Tensor:
        """The positions, padded: (B, longest, n_input)."""
        n, width = len(self.lengths), self.positions.shape[1]
        if len(self.positions) == n * self.longest:  # no copy: one sentence may be long
            return self.positions.view(n, self.longest, width)
        rows = self.positions.new_zeros(n * self.longest, width)
        return rows.index_copy(0, self.place, self.positions).view(n, self.longest, width)

    @cached_property
    def starts(self) -> Tensor:
        """(B,) the first position of each sentence."""
        return torch.from_numpy(np.cumsum(self.lengths) - self.lengths).to(self.keys.device)

    def prefix(self, n: int) -> "Memory":
        """The first n sentences."""
        if n == len(self.lengths):
            return self
        end = int(self.lengths[:n].sum())
        return Memory(
            self.keys[:end],
            self.positions[:end],
            self.lengths[:n],
            self.sentence[:end],
            self.place[:end],
            self.longest,
        )

    def detached(self) -> "Memory":
        """The same without gradients."""
        return replace(self, keys=self.keys.detach(), positions=self.positions.detach())

    def select(self, sentences: np.ndarray) -> "Memory":
        """Some of the sentences. sentences: (B',) in ascending order."""
        rows = self._positions_of(sentences)
        keys, positions = self.keys.index_select(0, rows), self.positions.index_select(0, rows)
        return memory_of(keys, positions, self.lengths[sentences])

    def _positions_of(self, sentences: np.ndarray) -> Tensor:
        kept = np.zeros(len(self.lengths), dtype=bool)
        kept[sentences] = True
        return torch.from_numpy(np.flatnonzero(np.repeat(kept, self.lengths))).to(self.keys.device)


def memory_of(keys: Tensor, positions: Tensor, lengths: np.ndarray) -> Memory:
    """A memory from its keys, positions and lengths."""
    longest = int(lengths.max(initial=0))
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    within = np.arange(len(sentence)) - (np.cumsum(lengths) - lengths)[sentence]
    place = torch.from_numpy(sentence * longest + within).to(keys.device)
    of_sentence = torch.from_numpy(sentence).to(keys.device)
    return Memory(keys, positions, lengths, of_sentence, place, longest)


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
        positions = encoded.positions.to(precision(encoded.positions))
        if order is not None and not np.array_equal(order, np.arange(len(lengths))):
            starts, lengths = encoded.starts[order], lengths[order]
            # The first position of each sentence, less how many there are before it now.
            shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
            rows = torch.from_numpy(shift + np.arange(len(shift)))
            positions = positions.index_select(0, rows.to(positions.device))
        # tanh(x) = 2 sigmoid(2x) - 1, and softmax does not see the 1: half the work on a CPU.
        return memory_of(project(positions, self.of_position.weight * 2), positions, lengths)

    def training_step(
        self, memory: Memory
    ) -> Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor | None]]:
        """A function from the states (n, n_state) of the first n sentences, and (n,) a position of
        each or None, to their d' and the logarithms of the shares of those positions, (n,), for a
        loop of many steps through which gradients go back once."""
        v = (self.v * 2).to(memory.keys.dtype)
        collected = _Collected(memory.detached(), v.detach())
        anchor = gradient_anchor(collected, memory.keys, memory.positions, v)
        query_of = DeferredLinear(self.of_state.weight * 2, self.v.new_zeros(len(self.v)))
        return lambda state, wanted: _Attend.apply(query_of(state), anchor, collected, wanted)

    def forward(self, memory: Memory, state: Tensor) -> tuple[Tensor, Tensor]:
        """d' and the shares. state: (B * k, n_state), k rows for each sentence of the memory.
        Returns (B * k, n_input) and (B * k, longest)."""
        n, longest = len(memory.lengths), memory.longest
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
        context = torch.bmm(shares, memory.padded)
        return context.flatten(0, 1), shares.flatten(0, 1)


class _Collected(Collector):
    """A memory, v, and the buffers of their gradients. Until all steps have gone back, that of the
    keys lacks its factor v; of that of the positions, each step's shares of them and the gradient
    of their sum are kept, and multiplied together."""

    def __init__(self, memory: Memory, v: Tensor) -> None:
        self.memory, self.v = memory, v
        self.d_keys = torch.zeros_like(memory.keys)
        self.d_positions = torch.zeros_like(memory.positions)
        self.d_v = torch.zeros_like(v)
        self.kept: list[tuple[Tensor, Tensor]] = []
        self.n_kept = 0

    def keep(self, shares: Tensor, grad: Tensor) -> None:
        """shares: (p,) of the positions of the first n sentences. grad: (n, n_input)."""
        self.kept.append((shares, grad))
        self.n_kept += len(shares) + grad.numel()
        if self.n_kept > KEPT_SHARES:
            self._multiply()

    def _multiply(self) -> None:
        n = max((len(grad) for _, grad in self.kept), default=0)
        n_positions = int(self.memory.lengths[:n].sum())
        shares = self.d_v.new_zeros(len(self.kept), n_positions)
        grads = self.d_v.new_zeros(len(self.kept), n, self.d_positions.shape[1])
        for step, (own, grad) in enumerate(self.kept):
            shares[step, : len(own)] = own
            grads[step, : len(grad)] = grad
        parts = self.d_positions[:n_positions].split(self.memory.lengths[:n].tolist())
        of_parts = shares.split(self.memory.lengths[:n].tolist(), 1)
        for d, share, grad in zip(parts, of_parts, grads.unbind(1), strict=True):
            d.addmm_(share.t(), grad)
        self.kept, self.n_kept = [], 0

    def gradients(self) -> tuple[Tensor, ...]:
        self._multiply()
        return self.d_keys.mul_(self.v), self.d_positions, self.d_v


def _parts(memory: Memory) -> list[slice]:
    """Positions that are compared together, on a CPU within a core's cache."""
    n = len(memory.keys)
    on_cpu = memory.keys.device.type == "cpu"
    n_rows = max(1, KEPT_IN_CACHE // memory.keys.shape[1]) if on_cpu else n
    return [slice(start, min(start + n_rows, n)) for start in range(0, n, n_rows)]


@in_one_precision
class _Attend(torch.autograd.Function):
    """d' of the first sentences of a memory from their queries, (n, hidden), and the logarithms of
    the shares of wanted positions, (n,), if any are.

    Comparisons are computed again on the way back: with many positions (phrases) that takes less
    time than to read them from memory, and steps keep little."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, query: Tensor, anchor: Tensor, collected: _Collected, wanted: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        memory = collected.memory.prefix(len(query))
        parts = _parts(memory)
        found = [_compare(query, memory, rows) @ collected.v for rows in parts]
        n, longest = len(query), memory.longest
        padded = query.new_full((n * longest,), -torch.inf)
        padded.index_copy_(0, memory.place, torch.cat(found))
        scores = padded.view(n, longest)
        shares = scores.softmax(1).view(-1).index_select(0, memory.place)
        ctx.memory, ctx.collected, ctx.wanted = memory, collected, wanted
        ctx.save_for_backward(query, shares)
        log_shares = None
        if wanted is not None:
            log_shares = scores.gather(1, wanted[:, None])[:, 0] - scores.logsumexp(1)
        every = torch.arange(len(shares), device=shares.device)
        context = embedding_bag(
            every, memory.positions, memory.starts, mode="sum", per_sample_weights=shares
        )
        return context, log_shares

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad: Tensor, d_log_shares: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        query, shares = ctx.saved_tensors
        memory, collected = ctx.memory, ctx.collected
        collected.keep(shares, grad)
        d_query = torch.zeros_like(query)
        d_shares = torch.cat([_products(grad, memory, rows) for rows in _parts(memory)])
        d_scores = d_shares * shares
        total = d_scores.new_zeros(len(query)).index_add_(0, memory.sentence, d_scores)
        if d_log_shares is not None:
            total += d_log_shares
            d_scores.index_add_(0, memory.starts + ctx.wanted, d_log_shares)
        d_scores.addcmul_(shares, total.index_select(0, memory.sentence), value=-1)
        for rows in _parts(memory):
            compared = _compare(query, memory, rows)
            collected.d_v.addmv_(compared.t(), d_scores[rows])
            d_compared = torch.addcmul(compared, compared, compared, value=-1)
            d_compared.mul_(d_scores[rows, None])
            collected.d_keys[rows].add_(d_compared)
            d_query.index_add_(0, memory.sentence[rows], d_compared)
        return d_query.mul_(collected.v), None, None, None


def _compare(query: Tensor, memory: Memory, rows: slice) -> Tensor:
    """sigmoid of each position's key and its sentence's query: (p, hidden)."""
    return query.index_select(0, memory.sentence[rows]).add_(memory.keys[rows]).sigmoid_()


def _products(grad: Tensor, memory: Memory, rows: slice) -> Tensor:
    """Of each position and its sentence's gradient: (p,)."""
    return grad.index_select(0, memory.sentence[rows]).mul_(memory.positions[rows]).sum(1)
