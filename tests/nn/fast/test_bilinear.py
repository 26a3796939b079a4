"""Bilinear forms, beside their definition."""

import pytest
import torch

from spacy_structparse.nn.fast import linear
from spacy_structparse.nn.fast.linear import bilinear_forms
from tests.helpers.precision import in_bfloat16

HIDDEN, FORMS = 5, 4
AT_ONCE = [(False, bfloat16, n) for bfloat16 in (False, True) for n in (0, 1, 7, 8, 30)]


@pytest.mark.parametrize(
    ("gradients", "bfloat16", "n"), [(True, False, 30), (True, True, 7), *AT_ONCE]
)
def test_forms_are_those_of_the_definition(
    monkeypatch: pytest.MonkeyPatch, n: int, gradients: bool, bfloat16: bool
) -> None:
    """All pairs together, and without gradients some at a time."""
    torch.manual_seed(0)
    monkeypatch.setattr(linear, "FORMS_TOGETHER", 8)
    monkeypatch.setattr(linear, "FORMS_TOGETHER_IN_BFLOAT16", 4)
    d, h = torch.randn(n, HIDDEN), torch.randn(n, HIDDEN)
    weight = torch.nn.Parameter(torch.randn(FORMS * (HIDDEN + 1), HIDDEN))
    by_form = weight.view(FORMS, HIDDEN + 1, HIDDEN)
    expected = torch.einsum("mj,lkj,mk->ml", d, by_form, torch.cat([h, torch.ones(n, 1)], 1))
    with torch.set_grad_enabled(gradients), in_bfloat16(bfloat16):
        found = bilinear_forms(d, h, weight)
    exact = gradients or not bfloat16
    torch.testing.assert_close(found, expected, **({} if exact else {"atol": 0.1, "rtol": 0.02}))
    assert found.requires_grad == gradients
