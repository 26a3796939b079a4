"""Additive attention to all positions of a batch at every step of a loop, its gradients collected
over the loop: autograd would add up gradients of the size of all positions, step by step.

The equation is :meth:`~spacy_structparse.nn.layers.attention.AdditiveAttention.scores`, but for the
0.5, which softmax does not see. Updates of a parser with this attention take 0.92 of the time that
autograd's loop takes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .device import rows_of, to_device

# Numbers of a comparison made at once: few enough that they stay in a cache that cores share.
COMPARED_TOGETHER = 1_000_000


@dataclass(frozen=True)
class Memory:
    """The positions of B sentences, prepared for additive attention.

    Attributes:
        keys: (P, hidden) keys of all positions, sentence after sentence.
        positions: (P, n_input).
        lengths: (B,) positions of each sentence.
        sentence: (P,) the sentence of each position.
        place: (P,) the row of each position where sentences are padded to the ``longest`` one.
        longest: Positions of the longest sentence.
    """

    keys: Tensor
    positions: Tensor
    lengths: np.ndarray
    sentence: Tensor
    place: Tensor
    longest: int

    @cached_property
    def padded(self) -> Tensor:
        """The padded positions: (B, longest, n_input)."""
        n, width = len(self.lengths), self.positions.shape[1]
        if len(self.positions) == n * self.longest:  # no copy: one sentence may be long
            return self.positions.view(n, self.longest, width)
        rows = self.positions.new_zeros(n * self.longest, width)
        return rows.index_copy(0, self.place, self.positions).view(n, self.longest, width)

    def select(self, sentences: np.ndarray) -> "Memory":
        """Return the memory of some sentences, (B',) in ascending order."""
        stays = np.isin(np.arange(len(self.lengths)), sentences)
        rows = np.flatnonzero(np.repeat(stays, self.lengths))
        keys, positions = rows_of(self.keys, rows), rows_of(self.positions, rows)
        return memory_of(keys, positions, self.lengths[sentences])


def memory_of(keys: Tensor, positions: Tensor, lengths: np.ndarray) -> Memory:
    """Return a memory from its keys, positions and lengths."""
    longest = int(lengths.max(initial=0))
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.cumsum(lengths) - lengths
    within = np.arange(len(sentence)) - starts[sentence]
    place = to_device(sentence * longest + within, keys)
    return Memory(keys, positions, lengths, to_device(sentence, keys), place, longest)


def attend(memory: Memory, query: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Attend with k queries for each sentence, without gradients.

    Args:
        memory: The positions of B sentences.
        query: (B, k, hidden).
        v: (hidden,).

    Returns:
        The contexts, (B * k, n_input), and the shares, (B * k, longest).
    """
    n, longest = len(memory.lengths), memory.longest
    n_rows = max(1, COMPARED_TOGETHER // query[0].numel())
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


def attention_step_function(
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
    collected = _Collected(memory, v)
    anchor = _Anchor.apply(collected, memory.keys, memory.padded, v)
    return lambda query, wanted: _Attend.apply(query, anchor, collected, wanted)


class _Collected:
    """A memory, v, and the buffers of their gradients; that of the keys lacks its factor v until
    all steps have gone back.

    Autograd's graph refers to it. It must not refer to the graph, which would keep both alive.
    """

    def __init__(self, memory: Memory, v: Tensor) -> None:
        self.lengths, self.sentence, self.place = memory.lengths, memory.sentence, memory.place
        self.keys, self.padded, self.v = (x.detach() for x in (memory.keys, memory.padded, v))
        self.d_keys = torch.zeros_like(self.keys)
        self.d_padded = torch.zeros_like(self.padded)
        self.d_v = torch.zeros_like(self.v)

    def compare(self, query: Tensor) -> Tensor:
        """Compare each position's key and its sentence's query: (p, hidden)."""
        n = int(self.lengths[: len(query)].sum())
        compared = query.index_select(0, self.sentence[:n])
        return compared.add_(self.keys[:n]).sigmoid_()

    def gradients(self) -> tuple[Tensor, ...]:
        """Return the gradients of keys, positions and v, when all steps have gone back."""
        return self.d_keys.mul_(self.v), self.d_padded, self.d_v


class _Anchor(torch.autograd.Function):
    """An anchor of tensors that every step of a loop reads: steps that take it are tied to them in
    autograd's graph. Its way back gives them the gradients that the steps have left."""

    @staticmethod
    def forward(ctx: Any, collected: _Collected, *tensors: Tensor) -> Tensor:  # type: ignore[override]
        ctx.collected = collected
        ctx.set_materialize_grads(False)
        return tensors[0].new_zeros(())

    @staticmethod
    def backward(ctx: Any, _: Tensor | None) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        return None, *ctx.collected.gradients()


class _Attend(torch.autograd.Function):
    """One step; see :func:`attention_step_function`.

    Comparisons are computed again on the way back: with many positions (phrases) that takes less
    time than to read them from memory, and steps keep little.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, query: Tensor, anchor: Tensor, collected: _Collected, wanted: Tensor | None
    ) -> tuple[Tensor, Tensor | None]:
        n, longest = len(query), collected.padded.shape[1]
        compared = collected.compare(query) @ collected.v
        scores = query.new_full((n * longest,), -torch.inf)
        scores.index_copy_(0, collected.place[: len(compared)], compared)
        scores = scores.view(n, longest)
        shares = scores.softmax(1)
        ctx.collected, ctx.wanted = collected, wanted
        ctx.save_for_backward(query, shares)
        log_shares = None
        if wanted is not None:
            log_shares = scores.gather(1, wanted[:, None])[:, 0] - scores.logsumexp(1)
        return torch.bmm(shares[:, None], collected.padded[:n])[:, 0], log_shares

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad: Tensor, d_log_shares: Tensor | None
    ) -> tuple[Tensor | None, ...]:
        query, shares = ctx.saved_tensors
        collected, n = ctx.collected, len(query)
        collected.d_padded[:n].baddbmm_(shares[:, :, None], grad[:, None])
        d_scores = torch.bmm(collected.padded[:n], grad[:, :, None])[:, :, 0] * shares
        total = d_scores.sum(1, keepdim=True)
        if d_log_shares is not None:
            total += d_log_shares[:, None]
            d_scores.scatter_add_(1, ctx.wanted[:, None], d_log_shares[:, None])
        d_scores -= shares * total
        compared = collected.compare(query)
        rows = slice(0, len(compared))
        d_compared = d_scores.view(-1).index_select(0, collected.place[rows])
        collected.d_v.addmv_(compared.t(), d_compared)
        d_sum = torch.addcmul(compared, compared, compared, value=-1).mul_(d_compared[:, None])
        collected.d_keys[rows] += d_sum
        d_query = torch.zeros_like(query).index_add_(0, collected.sentence[rows], d_sum)
        return d_query.mul_(collected.v), None, None, None
