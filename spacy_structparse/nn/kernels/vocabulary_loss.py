"""-ln p of words out of a whole vocabulary.

It takes much of the time in which a language model or a translator is trained. Only the
probabilities are kept for the way back, where autograd would keep several tensors of their size,
and products can be in bfloat16.
"""

from typing import Any

import torch
from torch import Tensor

from .packed_linear import packed_linear

# oneDNN is slow in bfloat16 where rows of scores begin anywhere. Vocabularies are filled up to a
# multiple of this with words of probability 0.
WORDS_ALIGNED = 32


class WordLoss(torch.autograd.Function):
    """-ln p of each row's target, p = softmax(x W^T + b).

    With label smoothing it is -(1 - share) ln p[target] - share mean(ln p).
    """

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
        """Return the losses: (P,).

        Args:
            ctx: Autograd's context.
            x: (P, in).
            weight: (V, in).
            bias: (V,).
            targets: (P,).
            dtype: The precision of products and probabilities.
            share: The share of a target that is spread over all words.
        """
        words, offsets = _filled_up(weight, bias, dtype)
        scores = packed_linear(words, offsets)(x.to(dtype))
        p = scores.softmax(1)
        ctx.save_for_backward(x, weight, words, targets, p)
        ctx.share = share
        exact = torch.promote_types(dtype, torch.float32)
        own = scores.gather(1, targets[:, None])[:, 0].to(exact)
        if dtype == torch.float16:  # which has no number for a small probability
            losses = scores.to(exact).logsumexp(1) - own
        else:
            p_own = p.gather(1, targets[:, None])[:, 0].to(exact)
            losses = p_own.clamp_min(torch.finfo(exact).tiny).log().neg_()
        if share:  # ln p[target] - ln p[v] is the difference of their scores
            losses += share * (own - torch.addmv(bias.mean(), x, weight.mean(0)))
        return losses

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: Any, grad: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, None, None, None]:
        x, weight, words, targets, p = ctx.saved_tensors
        n_words = len(weight)
        reduced = grad.to(p.dtype)
        d = p * reduced[:, None]
        rows = torch.arange(len(d), device=d.device)
        # (scatter_add_ in bfloat16 takes longer on a CPU than the products do.)
        d.index_put_((rows, targets), reduced * (ctx.share - 1), accumulate=True)
        d_x = packed_linear(words.t(), words.new_zeros(words.shape[1]))(d).to(x.dtype)
        d_weight = (d.t() @ x.to(p.dtype))[:n_words].to(weight.dtype)
        d_bias = d.sum(0)[:n_words].to(weight.dtype)
        if ctx.share:  # the spread share is the same for every word
            grad = grad.to(x.dtype) * ctx.share
            d_x.addr_(grad, weight.mean(0), alpha=-1)
            d_weight -= grad @ x / n_words
            d_bias -= grad.sum() / n_words
        return d_x, d_weight, d_bias, None, None, None


def _filled_up(weight: Tensor, bias: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return both in ``dtype``, with words of score minus infinity at the end if it is another."""
    if weight.dtype == dtype:
        return weight, bias
    missing = -len(weight) % WORDS_ALIGNED
    words = torch.cat([weight.to(dtype), weight.new_zeros(missing, weight.shape[1], dtype=dtype)])
    return words, torch.cat([bias.to(dtype), bias.new_full((missing,), -torch.inf, dtype=dtype)])
