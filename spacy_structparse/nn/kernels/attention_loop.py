"""Additive attention at every step of a loop, its gradients collected over the loop.

Keys, queries and v are those of
:class:`~spacy_structparse.nn.layers.attention.AdditiveAttention`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

from .deferred_gradients import Collector, gradient_anchor
from .device import uploaded

KEPT_IN_CACHE = 100_000  # numbers of a comparison that stay in a core's cache
KEPT_SHARES = 20_000_000  # numbers that steps leave, until they are multiplied


@dataclass(frozen=True)
class Memory:
    """The positions of B sentences, prepared for additive attention.

    Attributes:
        keys: (P, hidden) keys of all positions, sentence after sentence.
        positions: (P, n_input).
        lengths: (B,) positions of each sentence.
        sentence: (P,) the sentence of each position.
        place: (P,) the row of each position where sentences are padded to the ``longest`` one.
        starts: (B,) the first position of each sentence.
        longest: Positions of the longest sentence.
    """

    keys: Tensor
    positions: Tensor
    lengths: np.ndarray
    sentence: Tensor
    place: Tensor
    starts: Tensor
    longest: int

    @cached_property
    def padded(self) -> Tensor:
        """The padded positions: (B, longest, n_input)."""
        n, width = len(self.lengths), self.positions.shape[1]
        if len(self.positions) == n * self.longest:  # no copy: one sentence may be long
            return self.positions.view(n, self.longest, width)
        rows = self.positions.new_zeros(n * self.longest, width)
        return rows.index_copy(0, self.place, self.positions).view(n, self.longest, width)

    def prefix(self, n: int) -> "Memory":
        """Return the memory of the first n sentences."""
        if n == len(self.lengths):
            return self
        end = int(self.lengths[:n].sum())
        return Memory(
            self.keys[:end],
            self.positions[:end],
            self.lengths[:n],
            self.sentence[:end],
            self.place[:end],
            self.starts[:n],
            self.longest,
        )

    def detached(self) -> "Memory":
        """Return the same memory without gradients."""
        return replace(self, keys=self.keys.detach(), positions=self.positions.detach())

    def select(self, sentences: np.ndarray) -> "Memory":
        """Return the memory of some sentences, (B',) in ascending order."""
        kept = np.zeros(len(self.lengths), dtype=bool)
        kept[sentences] = True
        of_kept = np.flatnonzero(np.repeat(kept, self.lengths))
        rows = uploaded(of_kept, self.keys.device)
        keys, positions = self.keys.index_select(0, rows), self.positions.index_select(0, rows)
        return memory_of(keys, positions, self.lengths[sentences])


def memory_of(keys: Tensor, positions: Tensor, lengths: np.ndarray) -> Memory:
    """Return a memory from its keys, positions and lengths."""
    longest = int(lengths.max(initial=0))
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    within = np.arange(len(sentence)) - starts[sentence]
    place = uploaded(sentence * longest + within, keys.device)
    of_sentence = uploaded(sentence, keys.device)
    first = uploaded(starts, keys.device)
    return Memory(keys, positions, lengths, of_sentence, place, first, longest)


def attention_step(
    memory: Memory, v: Tensor
) -> Callable[[Tensor, Tensor | None], tuple[Tensor, Tensor | None]]:
    """Return a step of a loop through which gradients go back once.

    Args:
        memory: The positions.
        v: (hidden,).

    Returns:
        A function of the queries of the first n sentences, (n, hidden), and of a position of each,
        (n,) or None. It returns their contexts, (n, n_input), and the logarithms of the shares of
        these positions, (n,) or None.
    """
    collected = _Collected(memory.detached(), v.detach())
    anchor = gradient_anchor(collected, memory.keys, memory.positions, v)
    return lambda query, wanted: _Attend.apply(query, anchor, collected, wanted)


class _Collected(Collector):
    """A memory, v, and the buffers of their gradients.

    Until all steps have gone back, the gradient of the keys lacks its factor v. For that of the
    positions, the shares of each step and the gradient of their sum are kept and multiplied
    together.
    """

    def __init__(self, memory: Memory, v: Tensor) -> None:
        self.memory, self.v = memory, v
        self.d_keys = torch.zeros_like(memory.keys)
        self.d_positions = torch.zeros_like(memory.positions)
        self.d_v = torch.zeros_like(v)
        self.kept: list[tuple[Tensor, Tensor]] = []
        self.n_kept = 0

    def keep(self, shares: Tensor, grad: Tensor) -> None:
        """Keep a step's shares, (p,) of the positions of the first n sentences, and the gradient of
        its contexts, (n, n_input)."""
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
    """Return the positions that are compared together, on a CPU within a core's cache."""
    n = len(memory.keys)
    on_cpu = memory.keys.device.type == "cpu"
    n_rows = max(1, KEPT_IN_CACHE // memory.keys.shape[1]) if on_cpu else n
    return [slice(start, min(start + n_rows, n)) for start in range(0, n, n_rows)]


class _Attend(torch.autograd.Function):
    """One step; see :func:`attention_step`.

    Comparisons are computed again on the way back: with many positions (phrases) that takes less
    time than to read them from memory, and steps keep little.
    """

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
            d_compared = compared.square_().neg_().add_(1)
            d_compared.mul_(d_scores[rows, None])
            collected.d_keys[rows].add_(d_compared)
            d_query.index_add_(0, memory.sentence[rows], d_compared)
        return d_query.mul_(collected.v), None, None, None


def _compare(query: Tensor, memory: Memory, rows: slice) -> Tensor:
    """Return the tanh of each position's key and its sentence's query: (p, hidden)."""
    return query.index_select(0, memory.sentence[rows]).add_(memory.keys[rows]).tanh_()


def _products(grad: Tensor, memory: Memory, rows: slice) -> Tensor:
    """Return the product of each position and its sentence's gradient: (p,)."""
    return grad.index_select(0, memory.sentence[rows]).mul_(memory.positions[rows]).sum(1)
