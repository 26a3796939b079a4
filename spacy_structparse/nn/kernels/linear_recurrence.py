"""A recurrence without products of matrices.

All of its gates are known before it starts, so a step is one operation on all sequences of a batch.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor


class LinearRecurrence(torch.autograd.Function):
    """c_t = f_t * c_(t-1) + (1 - f_t) * x_t, element by element, with zeros before the first.

    From the last element of a sequence on, c_(t+1) takes the place of c_(t-1).
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx",
        x: Tensor,
        f: Tensor,
        sizes: Sequence[int],
        reverse: bool = False,
    ) -> Tensor:
        """Return c, (N, width), step after step.

        Args:
            ctx: Keeps what the gradients need.
            x: (N, width), step after step, from the first elements of sequences on.
            f: (N, width), from 0 to 1.
            sizes: How many sequences each step has; they are the first ones of the step before.
            reverse: Whether sequences are read from the last element on.
        """
        sizes = list(sizes)
        c = torch.empty_like(x)
        zeros = before = x.new_zeros(sizes[0], x.shape[1])
        steps = list(zip(c.split(sizes), x.split(sizes), f.split(sizes), strict=True))
        n = 0 if reverse else sizes[0]
        for now, new, kept in reversed(steps) if reverse else steps:
            size = len(now)
            if size <= n:
                torch.lerp(new, before[:size], kept, out=now)
            else:  # the others begin here
                torch.lerp(new[:n], before[:n], kept[:n], out=now[:n])
                torch.lerp(new[n:], zeros[n:size], kept[n:], out=now[n:])
            before, n = now, size
        ctx.save_for_backward(x, f, c)
        ctx.sizes, ctx.reverse = sizes, reverse  # type: ignore[attr-defined]
        return c

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx", grad: Tensor
    ) -> tuple[Tensor, Tensor, None, None]:
        x, f, c = ctx.saved_tensors  # type: ignore[attr-defined]
        sizes: list[int] = ctx.sizes  # type: ignore[attr-defined]
        grad = grad.clone()
        d_f = x.neg()  # the state before, less x
        # From each step, the last one first, to the one that it continues.
        steps = list(zip(*(of.split(sizes) for of in (grad, f, d_f, c)), strict=True))
        steps = steps if ctx.reverse else steps[::-1]  # type: ignore[attr-defined]
        for (d_c, kept, d_kept, _), (d_before, _, _, before) in pairwise(steps):
            n = min(len(d_c), len(d_before))
            d_before[:n].addcmul_(d_c[:n], kept[:n])
            d_kept[:n] += before[:n]
        return grad.addcmul(grad, f, value=-1), d_f.mul_(grad), None, None
