"""An LSTM over a trie: one recurrent layer in which several states may continue the same state.

Under teacher forcing the pushes of a stack LSTM form a trie: the parent of a push is the push that
lies below it on the stack, and the depth of a push is the height of the stack. All pushes at one
depth, over the whole batch, advance together, so that the number of sequential steps is the height
of the highest stack, not the number of actions. A sequence is the trie without branches: cells for
which there is no fused kernel read sequences so.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .autocast import in_one_precision
from .packed_linear import packed_linear, rows_worth_a_call


@dataclass(frozen=True)
class Trie:
    """The shape of a batch of tries, its nodes sorted by depth.

    sizes: the number of nodes at each depth; their sum is T.
    parents: (T,) the parent of each node, in this order; T at a root.
    order: (T,) the caller's index of each node, by which its values are brought into this order.
    inverse: (T,) where each of the caller's nodes went.
    """

    sizes: tuple[int, ...]
    parents: Tensor
    order: Tensor
    inverse: Tensor

    def to(self, device: torch.device) -> "Trie":
        """The same trie with its index tensors on another device."""
        tensors = (t.to(device) for t in (self.order, self.inverse))
        return Trie(self.sizes, self.parents.to(device), *tensors)

    def by_depth(self, *tensors: Tensor) -> list[tuple[Tensor, ...]]:
        """The parts of tensors of T rows at each depth."""
        return list(zip(*(x.split(self.sizes) for x in tensors), strict=True))


def trie_from_parents(parents: np.ndarray) -> Trie:
    """Return the trie of nodes in any order.

    Args:
        parents: (T,) index of each node's parent, -1 for a root.
    """
    depths = np.zeros(len(parents), dtype=np.int64)
    # Every round settles one more depth, for all nodes of the batch at once.
    ancestors = parents.copy()
    while (alive := ancestors >= 0).any():
        depths += alive
        ancestors = np.where(alive, parents[ancestors], -1)
    return _trie(parents, depths)


def trie_from_lengths(lengths: np.ndarray, reverse: bool = False) -> Trie:
    """Return the trie of sequences laid end to end, longest first.

    Args:
        lengths: (B,) in descending order.
        reverse: Whether every sequence is read from its last element.
    """
    nodes = np.arange(int(lengths.sum()))
    depths = nodes - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if reverse:
        depths = np.repeat(lengths, lengths) - 1 - depths
    return _trie(np.where(depths > 0, nodes + (1 if reverse else -1), -1), depths)


def _trie(parents: np.ndarray, depths: np.ndarray) -> Trie:
    n = len(parents)
    order = np.argsort(depths, kind="stable")
    inverse = np.empty(n, dtype=np.int64)
    inverse[order] = np.arange(n)
    sorted_parents = parents[order]
    return Trie(
        tuple(np.bincount(depths).tolist()),
        torch.from_numpy(np.where(sorted_parents >= 0, inverse[sorted_parents], n)),
        torch.from_numpy(order),
        torch.from_numpy(inverse),
    )


@in_one_precision
class TrieLSTMScan(torch.autograd.Function):
    """h of every node, given the projected inputs; gradients by hand, level by level.

    Autograd would allocate a gradient of the whole trie for every level and multiply every level's
    small matrices for the weights' gradient; here that is one product over all nodes. What does not
    depend on the recurrence is computed for all nodes at once.

    tanh(a) = 2 sigmoid(2a) - 1, much cheaper than tanh on a CPU: the gate g comes in doubled, and
    the cell state is kept doubled.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx",
        projected: Tensor,
        weight: Tensor,
        h0: Tensor,
        c0: Tensor,
        trie: Trie,
    ) -> Tensor:
        """projected: (T, 4H) W_x x + b in the order i, f, g, o with g doubled; weight: (4H, H)
        likewise doubled; h0, c0: (H,) the state before a root. Returns h: (T, H)."""
        n, hidden = projected.shape[0], weight.shape[1]
        gates = projected.clone()
        half_h, cell, sigmoid_c = (gates.new_empty(n, hidden) for _ in range(3))
        # What is kept is h / 2 and 2 c, the form that takes the fewest operations.
        twice = weight * 2
        transposed = twice.t()
        # Wide levels take the faster way, narrow ones the one with fewer calls.
        recurrent = packed_linear(twice, weight.new_zeros(len(weight)))
        enough = rows_worth_a_call(weight)
        by_depth = trie.by_depth(trie.parents, gates, cell, half_h, sigmoid_c)
        for depth, (parents, gate, c, new_h, sigmoid) in enumerate(by_depth):
            if depth == 0:
                gate += h0 @ weight.t()
                previous = c0 * 2
            else:
                h_prev = half_h.index_select(0, parents)
                previous = cell.index_select(0, parents)
                if len(gate) < enough:
                    gate.addmm_(h_prev, transposed)
                else:
                    gate += recurrent(h_prev)
            i, f, s, o = gate.sigmoid_().chunk(4, 1)
            torch.mul(f, previous, out=c).addcmul_(i, s, value=4).sub_(i, alpha=2)
            torch.sigmoid(c, out=sigmoid)
            torch.mul(o, sigmoid, out=new_h).sub_(o, alpha=0.5)
        h = half_h.mul_(2)
        ctx.save_for_backward(gates, weight, h, cell, sigmoid_c, h0, c0)
        ctx.trie = trie  # type: ignore[attr-defined]
        return h

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx", grad_h: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, None]:
        gates, weight, h, cell, sigmoid_c, h0, c0 = ctx.saved_tensors  # type: ignore[attr-defined]
        trie: Trie = ctx.trie  # type: ignore[attr-defined]
        n, hidden = h.shape
        i, f, s, o = gates.split(hidden, 1)
        h_prev = torch.cat([h, h0[None]]).index_select(0, trie.parents)
        c_prev = torch.cat([cell, c0[None] * 2]).index_select(0, trie.parents)
        # d gate / d c for i, f and g, and d gate / d h for o: what the recurrence multiplies.
        slopes = torch.addcmul(gates, gates, gates, value=-1).view(n, 4, hidden)
        slopes[:, 0] *= s * 2 - 1
        slopes[:, 1] *= c_prev.mul_(0.5)
        slopes[:, 2] *= i * 2
        slopes[:, 3] *= sigmoid_c * 2 - 1
        to_c = torch.addcmul(sigmoid_c, sigmoid_c, sigmoid_c, value=-1).mul_(o).mul_(4)
        dh, dc = grad_h.clone(), torch.zeros_like(h)
        d_gates = slopes  # scaled in place, level by level
        flat = d_gates.view(n, 4 * hidden)
        to_parent = packed_linear(weight.t(), weight.new_zeros(hidden))
        # From the leaves up; the roots have no parent.
        by_depth = list(enumerate(trie.by_depth(trie.parents, dh, dc, d_gates, to_c, f)))
        for depth, (parents, dh_level, dc_level, gate, slope, forget) in reversed(by_depth):
            dc_level.addcmul_(dh_level, slope)
            gate[:, :3] *= dc_level.unsqueeze(1)
            gate[:, 3] *= dh_level
            if depth > 0:
                dh.index_add_(0, parents, to_parent(gate.view(-1, 4 * hidden)))
                dc.index_add_(0, parents, dc_level * forget)
        roots = slice(0, trie.sizes[0] if trie.sizes else 0)
        d_h0 = flat[roots].sum(0) @ weight
        d_c0 = (dc[roots] * f[roots]).sum(0)
        return flat, flat.t() @ h_prev, d_h0, d_c0, None
