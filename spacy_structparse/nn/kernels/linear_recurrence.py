"""A recurrence without products of matrices.

All of its gates are known before it starts, so a step is one operation on all sequences of a batch.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor


class LinearRecurrence(torch.autograd.Function):
    """c_t = f_t * c_(t-1) + (1 - f_t) * x_t, element by element, with zeros before the first.

    With ``reverse`` c_(t+1) stands in place of c_(t-1), and zeros after the last.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx",
        x: Tensor,
        f: Tensor,
        sizes: Sequence[int],
        reverse: bool,
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
        c = torch.addcmul(x, x, f, value=-1)
        steps = list(zip(c.split(sizes), f.split(sizes), strict=True))
        for (before, _), (now, kept) in pairwise(steps[::-1] if reverse else steps):
            n = min(len(before), len(now))
            now[:n].addcmul_(before[:n], kept[:n])
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
            d_kept[:n].add_(before[:n])
        return grad.addcmul(grad, f, value=-1), d_f.mul_(grad), None, None
