"""-ln p of words out of a whole vocabulary, and its gradients: the larger part of what the training
of a language model computes.

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
    """-ln softmax(x W^T + b)[target] of each row."""

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, dtype: torch.dtype
    ) -> Tensor:
        """x: (P, in); weight: (V, in); bias: (V,); targets: (P,). dtype: of the products and of the
        probabilities. Returns (P,)."""
        p = packed_linear(weight.to(dtype), bias.to(dtype))(x.to(dtype)).softmax(1)
        ctx.save_for_backward(x, weight, targets, p)
        own = p.gather(1, targets[:, None])[:, 0].to(torch.promote_types(p.dtype, torch.float32))
        return own.clamp_min(torch.finfo(own.dtype).tiny).log().neg_()

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, None, None]:
        x, weight, targets, p = ctx.saved_tensors
        grad = grad.to(p.dtype)[:, None]
        d = (p * grad).scatter_add_(1, targets[:, None], -grad)
        weight_back = weight.to(p.dtype).t()
        d_x = packed_linear(weight_back, weight_back.new_zeros(len(weight_back)))(d)
        d_weight = d.t() @ x.to(p.dtype)
        return d_x.to(x.dtype), d_weight.to(weight.dtype), d.sum(0).to(weight.dtype), None, None
