"""All bilinear forms of many pairs of vectors, some pairs at a time."""

import torch
from torch import Tensor

from .device import is_rounded
from .linear import linear, packed_linear
from .weight_cache import cached

# Pairs whose products of all forms are in memory together without gradients: a pair has
# hidden + 1 numbers for every form, or hidden + 1 for every coordinate of d.
TOGETHER, TOGETHER_IN_BFLOAT16 = 256, 64


def bilinear_forms(d: Tensor, h: Tensor, weight: Tensor) -> Tensor:
    """Return d U_l h + w_l d of M pairs and every form l: (M, forms); without gradients in the
    precision of the context.

    Args:
        d: (M, hidden).
        h: (M, hidden).
        weight: (forms * (hidden + 1), hidden). Row l * (hidden + 1) + k maps d to the factor of
            coordinate k of h, whose last coordinate is 1.
    """
    if is_rounded(d) and not torch.is_grad_enabled():
        return _in_bfloat16(d, h, weight)
    together = len(d) if torch.is_grad_enabled() else TOGETHER
    parts = zip(d.split(together), h.split(together), strict=True)
    return torch.cat([_forms(some_d, some_h, weight) for some_d, some_h in parts])


def _forms(d: Tensor, h: Tensor, weight: Tensor) -> Tensor:
    """All U_l d, then their products with h."""
    by_form = linear(d, weight).unflatten(1, (-1, h.shape[1] + 1))
    return torch.bmm(by_form[:, :, :-1], h[:, :, None])[:, :, 0] + by_form[:, :, -1]


def _in_bfloat16(d: Tensor, h: Tensor, weight: Tensor) -> Tensor:
    """All d_j h_k, then their products with U: fewer numbers come out of the large product. In
    single precision it would take longer."""
    n_factors = (d.shape[1] + 1) * d.shape[1]
    forms = cached(
        _in_bfloat16, [weight], lambda: packed_linear(weight.bfloat16().view(-1, n_factors))
    )
    d, h = d.bfloat16(), torch.cat([h, h.new_ones(len(h), 1)], 1).bfloat16()
    parts = zip(d.split(TOGETHER_IN_BFLOAT16), h.split(TOGETHER_IN_BFLOAT16), strict=True)
    factors = ((some_h[:, :, None] * some_d[:, None]).flatten(1) for some_d, some_h in parts)
    return torch.cat([forms(some) for some in factors]).float()
