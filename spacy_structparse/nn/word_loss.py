"""-ln p of words out of a whole vocabulary, and its gradients: the larger part of what the training
of a language model computes, and much of a translator's.

What is kept for the way back are the probabilities, once, where autograd would keep and write
several tensors of their size; and the products can be in bfloat16.
"""

from typing import Any

import torch
from torch import Tensor

from .autocast import in_one_precision
from .packed_linear import packed_linear


@in_one_precision
class WordLoss(torch.autograd.Function):
    """-ln p of each row's target, p = softmax(x W^T + b); of a target that is smoothed, a share of
    which is spread over all words: -(1 - share) ln p[target] - share mean(ln p)."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor,
        targets: Tensor,
        dtype: torch.dtype,
        share: float,
    ) -> Tensor:
        """x: (P, in); weight: (V, in); bias: (V,); targets: (P,). dtype: of the products and of the
        probabilities. share: of a target, that is spread. Returns (P,)."""
        scores = packed_linear(weight.to(dtype), bias.to(dtype))(x.to(dtype))
        p = scores.softmax(1)
        ctx.save_for_backward(x, weight, targets, p)
        ctx.share = share
        exact = torch.promote_types(dtype, torch.float32)
        own = p.gather(1, targets[:, None])[:, 0].to(exact)
        losses = own.clamp_min(torch.finfo(exact).tiny).log().neg_()
        if share:  # ln p[target] - ln p[v] is the difference of their scores
            own = scores.gather(1, targets[:, None])[:, 0].to(exact)
            losses += share * (own - torch.addmv(bias.mean(), x, weight.mean(0)))
        return losses

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, None, None, None]:
        x, weight, targets, p = ctx.saved_tensors
        reduced = grad.to(p.dtype)[:, None]
        d = (p * reduced).scatter_add_(1, targets[:, None], reduced * (ctx.share - 1))
        weight_back = weight.to(p.dtype).t()
        d_x = packed_linear(weight_back, weight_back.new_zeros(len(weight_back)))(d).to(x.dtype)
        d_weight, d_bias = (d.t() @ x.to(p.dtype)).to(weight.dtype), d.sum(0).to(weight.dtype)
        if ctx.share:  # what is spread is the same for every word
            grad = grad.to(x.dtype) * ctx.share
            d_x.addr_(grad, weight.mean(0), alpha=-1)
            d_weight -= grad @ x / len(weight)
            d_bias -= grad.sum() / len(weight)
        return d_x, d_weight, d_bias, None, None, None
