"""A recurrence without products of matrices.

All of its gates are known before it starts, so a step is one operation on all sequences of a batch.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from .sequences import states_before


class LinearRecurrence(torch.autograd.Function):
    """c_t = f_t * c_(t-1) + (1 - f_t) * x_t, element by element, with zeros before the first."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx", x: Tensor, f: Tensor, sizes: Sequence[int]
    ) -> Tensor:
        """Return c, (N, width), step after step.

        Args:
            ctx: Keeps what the gradients need.
            x: (N, width), step after step.
            f: (N, width), from 0 to 1.
            sizes: How many sequences each step has; they are the first ones of the step before.
        """
        sizes = list(sizes)
        c = torch.empty_like(x)
        before = x.new_zeros(sizes[0], x.shape[1])
        for now, new, kept in zip(c.split(sizes), x.split(sizes), f.split(sizes), strict=True):
            torch.lerp(new, before[: len(new)], kept, out=now)
            before = now
        ctx.save_for_backward(x, f, c)
        ctx.sizes = sizes  # type: ignore[attr-defined]
        return c

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx", grad: Tensor
    ) -> tuple[Tensor, Tensor, None]:
        x, f, c = ctx.saved_tensors  # type: ignore[attr-defined]
        sizes: list[int] = ctx.sizes  # type: ignore[attr-defined]
        grad = grad.clone()
        grads, kept = grad.split(sizes), f.split(sizes)
        for step in range(len(sizes) - 1, 0, -1):
            grads[step - 1][: sizes[step]].addcmul_(grads[step], kept[step])
        before = states_before(c.new_zeros(sizes[0], c.shape[1]), c, sizes, None)
        d_f = before.sub_(x).mul_(grad)
        return grad.addcmul_(grad, f, value=-1), d_f, None
