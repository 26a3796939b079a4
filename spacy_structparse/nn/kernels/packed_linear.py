"""Linear maps with weights arranged once, for every step of decoding or for many rows.

On a CPU torch's own ``linear`` calls MKL, which does not use all of the vector units of AMD
processors and packs the weights anew at every call. oneDNN, which every CPU build of torch contains
and ``torch.compile`` uses, takes packed weights. Where it is not available (a GPU, double
precision, another build) the plain operations are used.
"""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import linear

from .weight_cache import can_keep, kept


def has_fast_bfloat16(device: torch.device) -> bool:
    """Return whether a device is a CPU with instructions for bfloat16."""
    if device.type != "cpu":
        return False
    named = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, name, lambda: False)() for name in named)


def can_read_bfloat16(x: Tensor) -> bool:
    """Return whether ``x`` is in single precision, on a CPU with instructions for bfloat16."""
    return x.dtype == torch.float32 and has_fast_bfloat16(x.device)


def reading_dtype(x: Tensor, bfloat16: bool) -> torch.dtype:
    """Return the precision in which ``x`` is read.

    Args:
        x: The input.
        bfloat16: Whether bfloat16 is wanted.

    Returns:
        bfloat16 if it is wanted, ``x`` is in single precision and its device is a CPU with
        instructions for it; otherwise the precision of ``x``.
    """
    return torch.bfloat16 if bfloat16 and can_read_bfloat16(x) else x.dtype


# Multiplications below which oneDNN's dearer call costs more than it saves.
WORTH_A_CALL = 1_200_000
# oneDNN compiles a kernel for every number of rows it meets: it is shown multiples of this, and of
# more for many rows, at most a sixteenth of them too many.
FEW_ROWS = 16
# Rows multiplied at once: of more (all phrases of a long sentence), a copy with rows that fill up
# would take as much memory again.
MOST_ROWS = 1 << 14
Linear = Callable[..., Tensor]


def can_pack(dtype: torch.dtype) -> bool:
    """Return whether oneDNN multiplies packed weights of a type on this processor."""
    if not torch.backends.mkldnn.is_available() or not hasattr(
        torch.ops.mkldnn, "_linear_pointwise"
    ):
        return False
    if dtype == torch.bfloat16:  # it needs instructions of AVX-512
        return torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return dtype == torch.float32


def rows_worth_a_call(weight: Tensor) -> int:
    """Return how many rows a product with a matrix must have for oneDNN's call to pay."""
    return -(-WORTH_A_CALL // max(1, weight.numel()))


def padded_rows(n: int) -> int:
    """Return how many rows oneDNN is shown for n of them; more rows than n are a copy."""
    return n + -n % max(FEW_ROWS, 1 << ((n - 1) >> 5).bit_length())


def rounded(x: Tensor) -> Tensor:
    """Return numbers in single precision rounded to those of bfloat16."""
    return x.bfloat16().float()


def row_weight(weight: Tensor, bfloat16: bool = False) -> Tensor:
    """Return W, (out, in), as :func:`row_map` takes it: MKL is faster with columns end to end."""
    return (rounded(weight) if bfloat16 else weight).t().contiguous().t()


def row_map(weight: Tensor, bfloat16: bool = False) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    """Return :func:`packed_linear` for one row, of which calls cost more than what they compute.

    Args:
        weight: (out, in) from :func:`row_weight`.
        bfloat16: Whether x and the product are rounded to bfloat16.

    Returns:
        A function of b, (out,), of x, (in,), and of a tensor that W x + b is written into.
    """
    if not bfloat16:
        return lambda known, x, out: torch.addmv(known, weight, x, out=out)
    x32, y32 = torch.empty_like(weight[0]), torch.empty_like(weight[:, 0])
    x16, y16 = x32.bfloat16(), y32.bfloat16()

    def of_row(known: Tensor, x: Tensor, out: Tensor) -> Tensor:
        x32.copy_(x16.copy_(x))
        torch.mv(weight, x32, out=y32)
        return torch.add(known, y32.copy_(y16.copy_(y32)), out=out)

    return of_row


def _reduced(*parts: Tensor) -> Tensor:
    """Return parts side by side in bfloat16: (padded_rows(N), in). Rows that fill up are zeros, for
    the reason given in :func:`packed_linear`."""
    n, widths = len(parts[0]), [part.shape[1] for part in parts]
    x = parts[0].new_empty(padded_rows(n), sum(widths), dtype=torch.bfloat16)
    for part, out in zip(parts, x.split(widths, 1), strict=True):
        out[:n] = part  # faster than torch.cat where types differ
    x[n:] = 0
    return x


def _bfloat16_linear(weight: Tensor, bias: Tensor | None) -> Linear:
    """:func:`packed_linear` in bfloat16, of a weight in single precision on a CPU."""
    enough = rows_worth_a_call(weight)
    reduced = weight.bfloat16()
    offset = weight.new_zeros(len(weight)) if bias is None else bias
    of_many = packed_linear(reduced, offset.bfloat16())
    offset, transposed = rounded(offset), None

    def linear(*parts: Tensor) -> Tensor:
        nonlocal transposed
        n = parts[0].shape[0]
        if n < enough:
            if transposed is None:
                transposed = reduced.float().t()
            x = torch.cat(parts, 1) if len(parts) > 1 else parts[0]
            return rounded(torch.addmm(offset, rounded(x), transposed))
        return of_many(_reduced(*parts))[:n].float()

    return linear


def packed_linear(weight: Tensor, bias: Tensor | None = None, bfloat16: bool = False) -> Linear:
    """Return the function x -> x W^T + b, without gradients.

    Args:
        weight: (out, in).
        bias: (out,); None: zeros.
        bfloat16: Whether x, W, b and x W^T + b are rounded to bfloat16, and sums are in single
            precision, on a CPU that has instructions for it. A row's result does not depend on how
            many others there are. There is no ``plus`` then.

    Returns:
        A function of x, (N, in), given as one matrix or as several side by side. It also
        takes ``plus``, (N, out), which is added to the result.
    """
    # What holds a parameter could not be kept with it: neither would ever go.
    weight, bias = weight.detach(), None if bias is None else bias.detach()
    if bfloat16 and can_read_bfloat16(weight):
        return _bfloat16_linear(weight, bias)
    bias = weight.new_zeros(len(weight)) if bias is None else bias
    transposed = weight.t()

    def plain(*parts: Tensor, plus: Tensor | None = None) -> Tensor:
        y = torch.addmm(bias, torch.cat(parts, 1) if len(parts) > 1 else parts[0], transposed)
        if plus is not None:
            y.add_(plus)
        return y

    if weight.device.type != "cpu" or not can_pack(weight.dtype):
        return plain
    multiply = torch.ops.mkldnn._linear_pointwise
    packed: Tensor | None = None
    offset = bias.clone()  # likewise a copy, for the reason given below
    # In bfloat16 two ways would differ by what counts: a row's result must not depend on how many
    # others there are.
    enough = rows_worth_a_call(weight) if weight.dtype == torch.float32 else 0
    width = weight.shape[1]

    def of_some_rows(*parts: Tensor, plus: Tensor | None = None) -> Tensor:
        nonlocal packed
        n = parts[0].shape[0]
        if n < enough:
            return plain(*parts, plus=plus)
        if packed is None:  # a few rows never need it, and it costs as much as they do
            # Of a copy: oneDNN asks for memory to write to, and a snapshot of weights sees that.
            source = weight.clone(memory_format=torch.contiguous_format)
            packed = torch.ops.mkldnn._reorder_linear_weight(source)
        shown = padded_rows(n)
        if shown > n:
            # Rows that fill up must hold numbers: with AMX a row of a width that is no multiple of
            # 32 is read together with the beginning of the next, times zeros, and NaN * 0 is NaN.
            filled = parts[0].new_empty(shown, width)
            torch.cat(parts, 1, out=filled[:n])
            filled[n:] = 0
            x = filled
        else:
            x = torch.cat(parts, 1) if len(parts) > 1 else parts[0]
        if plus is None:
            return multiply(x, packed, offset, "none", [], "")[:n]
        if shown > n:
            plus = torch.cat([plus, plus.new_empty(shown - n, plus.shape[1])])
        return multiply.binary(x, plus, packed, offset, "add")[:n]

    # A function that calls itself would keep the packed weights until the garbage collector runs.
    def of_all_rows(*parts: Tensor, plus: Tensor | None = None) -> Tensor:
        n = parts[0].shape[0]
        if n <= MOST_ROWS:
            return of_some_rows(*parts, plus=plus)
        y = weight.new_empty(n, len(weight))
        for start in range(0, n, MOST_ROWS):
            rows = slice(start, start + MOST_ROWS)
            some = None if plus is None else plus[rows]
            y[rows] = of_some_rows(*(part[rows] for part in parts), plus=some)
        return y

    return of_all_rows


class ReducedProjection(torch.autograd.Function):
    """x W^T + b in bfloat16, and its gradients: sums are in single precision, and all but the
    gradient of b is rounded to bfloat16.

    Autograd's own gradients of rounded tensors would round that of b.
    """

    @staticmethod
    def forward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx", x: Tensor, weight: Tensor, bias: Tensor
    ) -> Tensor:
        n, x, weight = len(x), _reduced(x), weight.bfloat16()
        ctx.save_for_backward(x, weight)
        return linear(x, weight, bias.bfloat16())[:n].float()

    @staticmethod
    def backward(  # type: ignore[override]
        ctx: "torch.autograd.function.FunctionCtx", grad: Tensor
    ) -> tuple[Tensor | None, Tensor, Tensor]:
        x, weight = ctx.saved_tensors  # type: ignore[attr-defined]
        d_y, d_x = _reduced(grad), None
        if ctx.needs_input_grad[0]:  # type: ignore[attr-defined]
            d_x = (d_y @ weight)[: len(grad)].float()
        return d_x, (d_y.t() @ x).float(), grad.sum(0)


def project(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, bfloat16: bool = False
) -> Tensor:
    """Return x W^T + b, with gradients.

    Without them the packed weights of parameters are kept from call to call.

    Args:
        x: (N, in).
        weight: (out, in).
        bias: (out,).
        bfloat16: Whether the product is in bfloat16, on a CPU that has instructions for it.
    """
    weights = [weight] if bias is None else [weight, bias]
    reduced = bfloat16 and can_read_bfloat16(x)
    if not can_keep(weights) or not (reduced or x.dtype == weight.dtype):
        if not reduced:
            return linear(x, weight, bias)
        bias = weight.new_zeros(len(weight)) if bias is None else bias
        return ReducedProjection.apply(x, weight, bias)
    what = packed_linear, reduced
    packed = kept(what, weights, lambda: packed_linear(weight, bias, bfloat16=reduced))
    return packed(x)
