"""The loss of words out of a vocabulary is the cross-entropy of a linear map's scores."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, linear

from spacy_structparse.nn.kernels.vocabulary_loss import WordLoss

N_ROWS, N_INPUT, N_WORDS = 7, 5, 30


def random_inputs(dtype: torch.dtype) -> tuple[list[Tensor], Tensor, Tensor]:
    """x, weight and bias, the targets, and how much each row counts."""
    torch.manual_seed(0)
    shapes = [(N_ROWS, N_INPUT), (N_WORDS, N_INPUT), (N_WORDS,)]
    inputs = [torch.randn(shape, dtype=dtype, requires_grad=True) for shape in shapes]
    return inputs, torch.randint(N_WORDS, (N_ROWS,)), torch.rand(N_ROWS, dtype=dtype)


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_losses_and_gradients(share: float) -> None:
    inputs, targets, counts = random_inputs(torch.float64)
    losses = WordLoss.apply(*inputs, targets, torch.float64, share)
    expected = cross_entropy(linear(*inputs), targets, reduction="none", label_smoothing=share)
    torch.testing.assert_close(losses, expected)
    found = torch.autograd.grad(losses @ counts, inputs)
    torch.testing.assert_close(found, torch.autograd.grad(expected @ counts, inputs))


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_in_bfloat16_they_are_as_near_as_it_can_be(share: float) -> None:
    inputs, targets, counts = random_inputs(torch.float32)
    losses = WordLoss.apply(*inputs, targets, torch.bfloat16, share)
    expected = cross_entropy(linear(*inputs), targets, reduction="none", label_smoothing=share)
    torch.testing.assert_close(losses, expected, atol=0.05, rtol=0.02)
    found = torch.autograd.grad(losses @ counts, inputs)
    torch.testing.assert_close(
        found, torch.autograd.grad(expected @ counts, inputs), atol=0.02, rtol=0.02
    )


def test_in_float16_the_loss_of_an_improbable_word_is_exact() -> None:
    x, weight, bias = torch.tensor([[20.0]]), torch.tensor([[1.0], [0.0]]), torch.zeros(2)
    (loss,) = WordLoss.apply(x, weight, bias, torch.tensor([1]), torch.float16, 0.0)
    assert float(loss) == pytest.approx(20.0, abs=0.01)
