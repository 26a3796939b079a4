"""Additive attention to a column of phrases, at every step of a loop."""

from typing import Any

import torch
from torch import Tensor

from .autocast import in_one_precision


@in_one_precision
class SharesAndSum(torch.autograd.Function):
    """The shares of phrases and the sum that they give.

    Batched products with a single row are slow in bfloat16 on a CPU; products of elements and sums
    are not, and one function of them leaves autograd less to keep.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, keys: Tensor, query: Tensor, v: Tensor, column: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the sums, (m, n), and the shares, (m, t), which have no gradient.

        Args:
            ctx: Autograd's context.
            keys: (m, t, hidden) of the phrases.
            query: (m, hidden).
            v: (hidden,) doubled, see :class:`..layers.additive_attention.AdditiveAttention`.
            column: (m, t, n) the phrases.
        """
        # A softmax does not see a constant; around 0 the products round off less.
        compared = (keys + query[:, None]).sigmoid_().sub_(0.5)
        shares = (compared * v).sum(-1).softmax(1)
        ctx.save_for_backward(compared, v, column, shares)
        ctx.mark_non_differentiable(shares)
        return (shares[..., None] * column).sum(1), shares

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
        compared, v, column, shares = ctx.saved_tensors
        grad = grad[:, None]
        d_shares = (column * grad).sum(-1)
        d_scores = shares * (d_shares - (shares * d_shares).sum(1, keepdim=True))
        scores = d_scores[..., None]
        d_v = (compared * scores).sum((0, 1))
        d_keys = (compared * compared).neg_().add_(0.25).mul_(v).mul_(scores)
        return d_keys, d_keys.sum(1), d_v, shares[..., None] * grad
