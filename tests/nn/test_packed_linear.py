"""Products of many rows: multiplied in parts, they are what one product would be."""

import pytest
import torch

from spacy_structparse.nn import packed_linear as module


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_product_of_many_rows_is_that_of_its_parts(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype
) -> None:
    torch.manual_seed(0)
    out, half, rows = 600, 300, 70
    weight, bias = torch.randn(out, 2 * half).to(dtype), torch.randn(out).to(dtype)
    left, right = torch.randn(2, rows, half).to(dtype)
    plus = torch.randn(rows, out).to(dtype)
    linear = module.packed_linear(weight, bias)
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
