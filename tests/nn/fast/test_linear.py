"""Products of many rows: multiplied in parts, they are what one product would be."""

from collections.abc import Iterator

import pytest
import torch

from spacy_structparse.nn.fast import linear as module
from tests.helpers.precision import in_bfloat16


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_product_of_many_rows_is_that_of_its_parts(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    out, half, rows = 600, 300, 70
    weight, bias = torch.randn(out, 2 * half).to(dtype), torch.randn(out).to(dtype)
    left, right = torch.randn(2, rows, half).to(dtype)
    plus = torch.randn(rows, out).to(dtype)
    linear = module.packed_function(weight, bias)
    with torch.no_grad():
        whole = linear(left, right), linear(left, right, plus=plus)
        monkeypatch.setattr(module, "MOST_ROWS", 16)  # the last part has six rows
        parts = linear(left, right), linear(left, right, plus=plus)
    for a, b in zip(whole, parts, strict=True):
        torch.testing.assert_close(a, b)
    expected = torch.cat([left, right], 1).float() @ weight.float().t() + bias.float()
    close = {"atol": 0.2, "rtol": 0.02} if dtype == torch.bfloat16 else {"atol": 1e-3, "rtol": 1e-4}
    torch.testing.assert_close(parts[0].float(), expected, **close)
    torch.testing.assert_close(parts[1].float(), expected + plus.float(), **close)


@pytest.fixture
def memory_holds_nan() -> Iterator[None]:
    """New tensors hold NaN until something is written into them."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("width", [50, 200, 256])
def test_rows_that_fill_up_leave_the_others_alone(
    memory_holds_nan: None, dtype: torch.dtype, width: int
) -> None:
    torch.manual_seed(0)
    weight, bias = torch.randn(10_002, width).to(dtype), torch.randn(10_002).to(dtype)
    linear = module.packed_function(weight, bias)
    for n in (15, 49, 612):
        x = torch.randn(n, width).to(dtype)
        with torch.no_grad():
            found = linear(x)
        torch.testing.assert_close(
            found.float(), x.float() @ weight.float().t() + bias.float(), atol=0.2, rtol=0.02
        )


def test_a_product_in_bfloat16_does_not_depend_on_the_number_of_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    torch.manual_seed(0)
    left, right, weight = torch.randn(40, 30), torch.randn(40, 20), torch.randn(60, 50)
    with in_bfloat16():
        few = module.fast_packed_function(weight)(left, right)
        monkeypatch.setattr(module, "WORTH_A_CALL", 1)
        many = module.fast_packed_function(weight)(left, right)
    assert few.dtype == many.dtype == torch.float32
    assert many.equal(module.rounded(many))
    # Sums in another order may be rounded to the neighbour.
    torch.testing.assert_close(few, many, rtol=2**-7, atol=1e-6)
    assert (few == many).float().mean() > 0.99
    exact = torch.cat([left, right], 1) @ weight.t()
    torch.testing.assert_close(many, exact, rtol=0.02, atol=0.1)
    assert not torch.allclose(many, exact, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [0, 5, 200])
def test_gradients_in_bfloat16_are_near(n: int) -> None:
    """Also with no rows, and where rows of zeros are added."""
    torch.manual_seed(0)
    inputs = [torch.randn(n, 50), torch.randn(60, 50), torch.randn(60)]
    x, weight, bias = (tensor.requires_grad_() for tensor in inputs)
    wanted = torch.randn(n, 60)
    with in_bfloat16():
        rounded = module.fast_linear(x, weight, bias)
    found, exact = (
        [y, *torch.autograd.grad(y, [x, weight, bias], wanted)]
        for y in (rounded, module.linear(x, weight, bias))
    )
    for one, other in zip(found, exact, strict=True):
        assert one.dtype == torch.float32
        torch.testing.assert_close(one, other, rtol=0.02, atol=0.2)
    assert not n or not torch.allclose(found[2], exact[2], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("has_bias", [True, False])
def test_a_large_product_has_the_gradients_of_a_plain_one(
    monkeypatch: pytest.MonkeyPatch, has_bias: bool
) -> None:
    torch.manual_seed(0)
    monkeypatch.setattr(module, "LARGE", 0)
    tensors = torch.randn(70, 50), torch.randn(600, 50), torch.randn(600) if has_bias else None
    grad = torch.randn(70, 600)
    of_each = []
    for linear in (module.linear, torch.nn.functional.linear):
        x, weight, bias = (None if t is None else t.clone().requires_grad_() for t in tensors)
        y = linear(x, weight, bias)
        y.backward(grad)
        of_each.append([y, *(t.grad for t in (x, weight, bias) if t is not None)])
    for large, plain in zip(*of_each, strict=True):
        torch.testing.assert_close(large, plain, atol=1e-4, rtol=1e-4)
