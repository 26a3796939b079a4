"""An LSTM over a trie: one recurrent layer in which several states may continue the same state.

Under teacher forcing the pushes of a stack LSTM form a trie: the parent of a push is the push that
lies below it on the stack, and the depth of a push is the height of the stack. All pushes at one
depth, over the whole batch, advance together, so that the number of sequential steps is the height
of the highest stack, not the number of actions. A sequence is the trie without branches; the
buffer, the actions and the sentence encoder use the same code.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Trie:
    """The shape of a batch of tries, its nodes sorted by depth.

    sizes: the number of nodes at each depth; their sum is T.
    parents: (T,) for each node the position of its parent among the nodes of the depth above; None
        if node i at every depth continues node i of the depth above (sequences, longest first).
    order: (T,) the caller's index of each node, by which its values are brought into this order.
    inverse: (T,) where each of the caller's nodes went.
    """

    sizes: tuple[int, ...]
    parents: Tensor | None
    order: Tensor
    inverse: Tensor

    def to(self, device: torch.device) -> "Trie":
        """The same trie with its index tensors on another device."""
        parents = None if self.parents is None else self.parents.to(device)
        return Trie(self.sizes, parents, self.order.to(device), self.inverse.to(device))


def trie_from_parents(parents: np.ndarray) -> Trie:
    """The trie of nodes listed parents first; parents: (T,) index of the parent, -1 for a root."""
    n = len(parents)
    depths = np.zeros(n, dtype=np.int64)
    # Every round settles one more depth, for all nodes of the batch at once.
    ancestors = parents.copy()
    while (alive := ancestors >= 0).any():
        depths += alive
        ancestors = np.where(alive, parents[ancestors], -1)
    order = np.argsort(depths, kind="stable")
    inverse = np.empty(n, dtype=np.int64)
    inverse[order] = np.arange(n)
    sizes = np.bincount(depths)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    sorted_parents = parents[order]
    above = np.maximum(depths[order] - 1, 0)
    local = np.where(sorted_parents >= 0, inverse[sorted_parents] - starts[above], 0)
    return Trie(
        tuple(sizes.tolist()),
        torch.from_numpy(local),
        torch.from_numpy(order),
        torch.from_numpy(inverse),
    )


def trie_from_lengths(lengths: np.ndarray, reverse: bool = False) -> Trie:
    """The trie of sequences laid end to end, longest first.

    lengths: (B,) in descending order. reverse: read every sequence from its last element.
    """
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    longest = int(lengths[0]) if len(lengths) else 0
    # sizes[k] is the number of sequences longer than k.
    sizes = len(lengths) - np.searchsorted(lengths[::-1], np.arange(longest), side="right")
    steps = np.repeat(np.arange(longest), sizes)
    within = np.concatenate([np.arange(size) for size in sizes]) if longest else steps
    order = starts[within] + (lengths[within] - 1 - steps if reverse else steps)
    inverse = np.empty(len(order), dtype=np.int64)
    inverse[order] = np.arange(len(order))
    return Trie(
        tuple(sizes.tolist()), None, torch.from_numpy(order), torch.from_numpy(inverse)
    )


class TrieLSTMScan(torch.autograd.Function):
    """h and c of every node, given the projected inputs; gradients by hand, level by level.

    Autograd would allocate a gradient of the whole trie for every level and multiply every level's
    small matrices for the weights' gradient; here that is one product over all nodes.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx",
        gates: Tensor,
        weight: Tensor,
        h0: Tensor,
        c0: Tensor,
        trie: Trie,
    ) -> tuple[Tensor, Tensor]:
        """gates: (T, 4H) W_x x + b in the order i, f, o, g with g doubled; weight: (4H, H) likewise
        doubled; h0, c0: (H,) the state before a root. Returns h, c: (T, H)."""
        n, hidden = gates.shape[0], weight.shape[1]
        gates = gates.clone()
        h, c, tanh_c = (gates.new_empty(n, hidden) for _ in range(3))
        h_prev, c_prev = (gates.new_empty(n, hidden) for _ in range(2))
        transposed = weight.t()
        start = 0
        above = slice(0, 0)
        for depth, size in enumerate(trie.sizes):
            level = slice(start, start + size)
            hp, cp = h_prev[level], c_prev[level]
            if depth == 0:
                hp.copy_(h0.expand(size, -1))
                cp.copy_(c0.expand(size, -1))
            elif trie.parents is None:
                hp.copy_(h[above.start : above.start + size])
                cp.copy_(c[above.start : above.start + size])
            else:
                parents = trie.parents[level]
                torch.index_select(h[above], 0, parents, out=hp)
                torch.index_select(c[above], 0, parents, out=cp)
            gate = gates[level]
            gate.addmm_(hp, transposed).sigmoid_()
            i, f, o, g = gate.split(hidden, 1)
            g.mul_(2).sub_(1)  # tanh(a) = 2 sigmoid(2a) - 1, much cheaper than tanh on a CPU
            torch.mul(f, cp, out=c[level])
            c[level].addcmul_(i, g)
            torch.mul(c[level], 2, out=tanh_c[level])
            tanh_c[level].sigmoid_().mul_(2).sub_(1)
            torch.mul(o, tanh_c[level], out=h[level])
            above = level
            start += size
        ctx.save_for_backward(gates, weight, tanh_c, h_prev, c_prev)
        ctx.trie = trie  # type: ignore[attr-defined]
        return h, c

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx", grad_h: Tensor, grad_c: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        gates, weight, tanh_c, h_prev, c_prev = ctx.saved_tensors  # type: ignore[attr-defined]
        trie: Trie = ctx.trie  # type: ignore[attr-defined]
        hidden = weight.shape[1]
        dh, dc = grad_h.clone(), grad_c.clone()
        d_gates = torch.empty_like(gates)
        i, f, o, g = gates.split(hidden, 1)
        d_h0, d_c0 = dh.new_zeros(hidden), dh.new_zeros(hidden)
        # The factors that do not depend on the recurrence, for all nodes at once.
        to_c = o * (1 - tanh_c * tanh_c)
        d_sigmoid = gates * (1 - gates)
        slope = torch.cat(
            [
                g * d_sigmoid[:, :hidden],
                c_prev * d_sigmoid[:, hidden : 2 * hidden],
                tanh_c * d_sigmoid[:, 2 * hidden : 3 * hidden],
                i * (1 - g * g) * 0.5,
            ],
            1,
        )
        end = len(gates)
        for depth in range(len(trie.sizes) - 1, -1, -1):
            size = trie.sizes[depth]
            level = slice(end - size, end)
            dh_level, dc_level = dh[level], dc[level]
            dc_level.addcmul_(dh_level, to_c[level])
            d_gate = d_gates[level].view(size, 4, hidden)
            shape = slope[level].view(size, 4, hidden)
            torch.mul(shape[:, :2], dc_level.unsqueeze(1), out=d_gate[:, :2])
            torch.mul(shape[:, 2], dh_level, out=d_gate[:, 2])
            torch.mul(shape[:, 3], dc_level, out=d_gate[:, 3])
            dh_prev = d_gates[level] @ weight
            dc_prev = dc_level * f[level]
            end -= size
            if depth == 0:
                d_h0, d_c0 = dh_prev.sum(0), dc_prev.sum(0)
            elif trie.parents is None:
                above = slice(end - trie.sizes[depth - 1], end - trie.sizes[depth - 1] + size)
                dh[above] += dh_prev
                dc[above] += dc_prev
            else:
                above = slice(end - trie.sizes[depth - 1], end)
                dh[above].index_add_(0, trie.parents[level], dh_prev)
                dc[above].index_add_(0, trie.parents[level], dc_prev)
        return d_gates, d_gates.t() @ h_prev, d_h0, d_c0, None
