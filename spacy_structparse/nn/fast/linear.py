"""Linear maps: with gradients, or with weights packed once for all rows and steps.

On a CPU torch's own ``linear`` calls MKL, which does not use all of the vector units of AMD
processors and packs the weights anew at every call. oneDNN, which every CPU build of torch contains
and ``torch.compile`` uses, takes packed weights. Where it is not available (a GPU, double
precision, another build) the plain operations are used.

There are two precisions: ``linear`` and ``packed_function`` keep that of their inputs, and
``fast_linear`` and ``fast_packed_function`` take the one that :func:`.device.compute_dtype` sets.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from .device import is_rounded
from .private_torch import can_pack, pack, packed_product
from .weight_cache import cached, can_cache

# Multiplications below which oneDNN's dearer call costs more than it saves.
WORTH_A_CALL = 1_200_000
# Multiplications from which on weights are packed for one product and its gradient.
LARGE = 100 * WORTH_A_CALL
# oneDNN compiles a kernel for every number of rows it meets: it is shown multiples of this, and of
# more for many rows, at most a sixteenth of them too many.
FEW_ROWS = 16
# Rows multiplied at once: of more (all phrases of a long sentence), a copy with rows that fill up
# would take as much memory again.
MOST_ROWS = 1 << 14
# Pairs whose products of all forms are in memory together without gradients: a pair has hidden
# numbers for every form, or in bfloat16 hidden + 1 for every coordinate of d.
FORMS_TOGETHER, FORMS_TOGETHER_IN_BFLOAT16 = 128, 64

Linear = Callable[..., Tensor]
"""A function of x, (N, in), given as one matrix or as several side by side."""
Pack = Callable[[Tensor, Tensor | None], Linear]


def bias_or_zeros(weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return the bias, (out,), of a map by a weight of (out, in)."""
    return weight.new_zeros(len(weight)) if bias is None else bias


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return x W^T + b, with gradients.

    Without them the packed weights of parameters are kept from call to call.

    Args:
        x: (N, in).
        weight: (out, in).
        bias: (out,).
    """
    weights = [weight] if bias is None else [weight, bias]
    if x.dtype != weight.dtype:
        return functional.linear(x, weight, bias)
    if can_cache(weights):
        return cached(packed_function, weights, lambda: packed_function(weight, bias))(x)
    if len(x) * weight.numel() < LARGE or x.device.type != "cpu" or not can_pack(x.dtype):
        return functional.linear(x, weight, bias)
    return _LargeLinear.apply(x, weight, bias)


def fast_linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return :func:`linear` in the precision of the context."""
    if not is_rounded(x):
        return linear(x, weight, bias)
    weights = [weight] if bias is None else [weight, bias]
    if can_cache(weights):
        return cached(fast_packed_function, weights, lambda: fast_packed_function(weight, bias))(x)
    return _RoundedLinear.apply(x, weight, bias_or_zeros(weight, bias))


def linear_function(weight: Tensor, bias: Tensor | None = None) -> Linear:
    """Return the function x -> x W^T + b: for many calls without gradients, and for calls with
    them, whose weights change before many are made."""
    if torch.is_grad_enabled():
        return lambda *parts: functional.linear(_side_by_side(parts), weight, bias)
    return packed_function(weight, bias)


def packed_function(weight: Tensor, bias: Tensor | None = None) -> Linear:
    """Return the function x -> x W^T + b, without gradients.

    Args:
        weight: (out, in).
        bias: (out,); None: zeros.

    Returns:
        A :data:`Linear` that also takes ``plus``, (N, out), which is added to the result.
    """
    # What holds a parameter could not be kept with it: neither would ever go.
    weight = weight.detach()
    bias = bias_or_zeros(weight, bias).detach()
    if weight.device.type == "cpu" and can_pack(weight.dtype):
        return _PackedLinear(weight, bias)
    return partial(_plain, weight.t(), bias)


def fast_packed_function(weight: Tensor, bias: Tensor | None = None) -> Linear:
    """Return :func:`packed_function` in the precision of the context.

    In bfloat16 x, W, b and x W^T + b are rounded, and sums are in single precision. A row's result
    does not depend on how many others there are. There is no ``plus`` then.
    """
    if is_rounded(weight):
        return _RoundedPackedLinear(weight.detach(), bias_or_zeros(weight, bias).detach())
    return packed_function(weight, bias)


def padded_rows(n: int) -> int:
    """Return how many rows oneDNN is shown for n of them; more rows than n are a copy."""
    return n + -n % max(FEW_ROWS, 1 << ((n - 1) >> 5).bit_length())


def _side_by_side(parts: tuple[Tensor, ...]) -> Tensor:
    return torch.cat(parts, 1) if len(parts) > 1 else parts[0]


def _plain(transposed: Tensor, bias: Tensor, *parts: Tensor, plus: Tensor | None = None) -> Tensor:
    y = torch.addmm(bias, _side_by_side(parts), transposed)
    return y if plus is None else y.add_(plus)


class _PackedLinear:
    """:func:`packed_function` by oneDNN; few rows are multiplied by MKL."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self.weight, self.transposed = weight, weight.t()
        self.bias = bias.clone()  # for the reason that `pack` gives
        self.packed: Tensor | None = None
        # In bfloat16 two ways would differ by what counts: a row's result must not depend on how
        # many others there are.
        self.enough = WORTH_A_CALL / max(1, weight.numel()) if weight.dtype == torch.float32 else 0

    def __call__(self, *parts: Tensor, plus: Tensor | None = None) -> Tensor:
        n = parts[0].shape[0]
        if n < self.enough:
            return _plain(self.transposed, self.bias, *parts, plus=plus)
        if self.packed is None:  # a few rows never need it, and it costs as much as they do
            self.packed = pack(self.weight)
        if n > MOST_ROWS:
            y = self.weight.new_empty(n, len(self.weight))
            for start in range(0, n, MOST_ROWS):
                rows = slice(start, start + MOST_ROWS)
                some = None if plus is None else plus[rows]
                y[rows] = self(*(part[rows] for part in parts), plus=some)
            return y
        shown = padded_rows(n)
        if shown == n:
            return packed_product(_side_by_side(parts), self.packed, self.bias, plus)
        # Rows that fill up must hold numbers: with AMX a row of a width that is no multiple of 32
        # is read together with the beginning of the next, times zeros, and NaN * 0 is NaN.
        x = parts[0].new_empty(shown, self.weight.shape[1])
        torch.cat(parts, 1, out=x[:n])
        x[n:] = 0
        if plus is not None:
            plus = torch.cat([plus, plus.new_empty(shown - n, plus.shape[1])])
        return packed_product(x, self.packed, self.bias, plus)[:n]


def rounded(x: Tensor) -> Tensor:
    """Return numbers in single precision rounded to those of bfloat16."""
    return x.bfloat16().float()


def _reduced(*parts: Tensor) -> Tensor:
    """Return parts side by side in bfloat16: (padded_rows(N), in). Rows that fill up are zeros, for
    the reason given above."""
    n, widths = len(parts[0]), [part.shape[1] for part in parts]
    x = parts[0].new_empty(padded_rows(n), sum(widths), dtype=torch.bfloat16)
    for part, out in zip(parts, x.split(widths, 1), strict=True):
        out[:n] = part  # faster than torch.cat where types differ
    x[n:] = 0
    return x


class _RoundedPackedLinear:
    """:func:`packed_function` in bfloat16, of a weight in single precision on a CPU."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self.enough = WORTH_A_CALL / max(1, weight.numel())
        self.weight, self.bias = weight.bfloat16(), rounded(bias)
        self.of_many = packed_function(self.weight, bias.bfloat16())
        self.transposed: Tensor | None = None

    def __call__(self, *parts: Tensor) -> Tensor:
        n = parts[0].shape[0]
        if n >= self.enough:
            return self.of_many(_reduced(*parts))[:n].float()
        if self.transposed is None:
            self.transposed = self.weight.float().t()
        return rounded(torch.addmm(self.bias, rounded(_side_by_side(parts)), self.transposed))


class _LargeLinear(torch.autograd.Function):
    """x W^T + b of many rows, and its gradients, by packed weights.

    Updates of ``phrasal_lm_paper``, with its 10,000 words, take 0.90 of the time on a CPU.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:  # type: ignore[override]
        ctx.save_for_backward(x, weight)
        return packed_function(weight, bias)(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        x, weight = ctx.saved_tensors
        wants_x, _, wants_bias = ctx.needs_input_grad
        d_x = packed_function(weight.t())(grad) if wants_x else None
        return d_x, grad.t() @ x, grad.sum(0) if wants_bias else None


class _RoundedLinear(torch.autograd.Function):
    """x W^T + b in bfloat16, and its gradients: sums are in single precision, and all but the
    gradient of b is rounded to bfloat16.

    Autograd's own gradients of rounded tensors would round that of b.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:  # type: ignore[override]
        n, x, weight = len(x), _reduced(x), weight.bfloat16()
        ctx.save_for_backward(x, weight)
        return functional.linear(x, weight, bias.bfloat16())[:n].float()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:  # type: ignore[override]
        x, weight = ctx.saved_tensors
        d_y, d_x = _reduced(grad), None
        if ctx.needs_input_grad[0]:
            d_x = (d_y @ weight)[: len(grad)].float()
        return d_x, (d_y.t() @ x).float(), grad.sum(0)


def row_weight(weight: Tensor) -> Tensor:
    """Return W, (out, in), as :func:`row_function` takes it, in the precision of the context.

    MKL is faster with columns end to end.
    """
    return (rounded(weight) if is_rounded(weight) else weight).t().contiguous().t()


def row_function(weight: Tensor) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return :func:`fast_packed_function` for one row, of which calls cost more than what they
    compute.

    Args:
        weight: (out, in) from :func:`row_weight`.

    Returns:
        A function of b, (out,), of x, (in,), and of a tensor that W x + b is written into.
    """
    if not is_rounded(weight):
        return lambda bias, x, out: torch.addmv(bias, weight, x, out=out)
    x32, y32 = torch.empty_like(weight[0]), torch.empty_like(weight[:, 0])
    x16, y16 = x32.bfloat16(), y32.bfloat16()

    def of_row(bias: Tensor, x: Tensor, out: Tensor) -> Tensor:
        x32.copy_(x16.copy_(x))
        torch.mv(weight, x32, out=y32)
        return torch.add(bias, y32.copy_(y16.copy_(y32)), out=out)

    return of_row


def bilinear_forms(d: Tensor, h: Tensor, weight: Tensor) -> Tensor:
    """Return d U_l h + w_l d of M pairs and every form l: (M, forms); without gradients in the
    precision of the context.

    Args:
        d: (M, hidden).
        h: (M, hidden).
        weight: (forms * (hidden + 1), hidden). Row l * (hidden + 1) + k maps d to the factor of
            coordinate k of h, whose last coordinate is 1.
    """
    if torch.is_grad_enabled():
        by_form = linear(d, weight).unflatten(1, (-1, h.shape[1] + 1))
        return torch.bmm(by_form[:, :, :-1], h[:, :, None])[:, :, 0] + by_form[:, :, -1]
    if is_rounded(d):
        return _forms_in_bfloat16(d, h, weight)
    return _forms(d, h, weight)


def _forms(d: Tensor, h: Tensor, weight: Tensor) -> Tensor:
    """All U_l d, then their products with h. The numbers of a form stand end to end: with w_l
    between them it takes 1.7 times as long."""

    def by_form() -> tuple[Linear, Linear]:
        u, w = weight.unflatten(0, (-1, h.shape[1] + 1)).split([h.shape[1], 1], 1)
        return packed_function(u.flatten(0, 1)), packed_function(w.flatten(0, 1))

    of_pairs, of_own = cached(_forms, [weight], by_form)
    parts = zip(d.split(FORMS_TOGETHER), h.split(FORMS_TOGETHER), strict=True)
    forms = (
        of_pairs(some_d).unflatten(1, (-1, h.shape[1])).mul_(some_h[:, None]).sum(2)
        for some_d, some_h in parts
    )
    return torch.cat(list(forms)) + of_own(d)


def _forms_in_bfloat16(d: Tensor, h: Tensor, weight: Tensor) -> Tensor:
    """All d_j h_k, then their products with U: fewer numbers come out of the large product. In
    single precision it would take longer."""
    n_factors = (d.shape[1] + 1) * d.shape[1]
    forms = cached(
        _forms_in_bfloat16, [weight], lambda: packed_function(weight.bfloat16().view(-1, n_factors))
    )
    d, h = d.bfloat16(), torch.cat([h, h.new_ones(len(h), 1)], 1).bfloat16()
    parts = zip(
        d.split(FORMS_TOGETHER_IN_BFLOAT16), h.split(FORMS_TOGETHER_IN_BFLOAT16), strict=True
    )
    factors = ((some_h[:, :, None] * some_d[:, None]).flatten(1) for some_d, some_h in parts)
    return torch.cat([forms(some) for some in factors]).float()
