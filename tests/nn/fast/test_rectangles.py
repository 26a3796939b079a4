import numpy as np
import pytest
import torch
from torch import nn

from spacy_structparse.nn.fast.sequences import Sequences
from spacy_structparse.nn.layers.recurrent import RecurrentLayer
from spacy_structparse.nn.stack_lstm.stack import CELLS
from tests.helpers.plain_step import plain_step
from tests.helpers.precision import in_bfloat16


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("reverse", [False, True])
def test_read_is_a_loop_of_steps(cell: str, reverse: bool) -> None:
    torch.manual_seed(0)
    made: RecurrentLayer = CELLS[cell](5, 4).double()
    nn.init.normal_(made.bias)
    lengths = [150, 9, 9, 4, 1]
    x = torch.randn(sum(lengths), 5, dtype=torch.float64, requires_grad=True)
    before = [torch.randn(4, dtype=torch.float64, requires_grad=True) for _ in range(made.n_parts)]
    expected = []
    for part in x.split(lengths):
        state, outputs = [one[None] for one in before], []
        for element in reversed(part) if reverse else part:
            state = plain_step(made, element[None], state)
            outputs.append(state[0])
        expected += outputs[::-1] if reverse else outputs
    found = made.read(x, before, Sequences(np.array(lengths), reverse))
    torch.testing.assert_close(found, torch.cat(expected))
    inputs = (x, *before, *made.parameters())
    weights = torch.randn_like(found)
    gradients = torch.autograd.grad((found * weights).sum(), inputs)
    references = torch.autograd.grad((torch.cat(expected) * weights).sum(), inputs)
    for gradient, reference in zip(gradients, references, strict=True):
        torch.testing.assert_close(gradient, reference)


def test_fused_and_stepped_reading_agree_in_single_precision() -> None:
    """The fused kernels exist for single precision only."""
    torch.manual_seed(0)
    made = CELLS["torch"](6, 16)
    lengths = np.array([31, 30, 17, 3])
    x = torch.randn(int(lengths.sum()), 6, requires_grad=True)
    before = [torch.randn(16), torch.randn(16)]
    sequences = Sequences(lengths, reverse=True)
    found = made.read(x, before, sequences)
    expected = RecurrentLayer.read(made, x, before, sequences)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)
    made.run = made.run_library  # type: ignore[method-assign]
    as_on_a_gpu = RecurrentLayer.read(made, x, before, sequences)
    torch.testing.assert_close(as_on_a_gpu, expected, rtol=1e-5, atol=1e-6)
    (gradient,) = torch.autograd.grad(found.square().sum(), x)
    (reference,) = torch.autograd.grad(expected.square().sum(), x)
    torch.testing.assert_close(gradient, reference, rtol=1e-4, atol=1e-5)


def test_bfloat16_is_close_and_batch_invariant() -> None:
    torch.manual_seed(0)
    made = CELLS["torch"](6, 16)
    lengths = [31, 30, 17, 3]
    x = torch.randn(sum(lengths), 6, requires_grad=True)
    before = [torch.zeros(16), torch.zeros(16)]
    with in_bfloat16():
        found = made.read(x, before, Sequences(np.array(lengths)))
        alone = [
            made.read(part, before, Sequences(np.array([len(part)]))) for part in x.split(lengths)
        ]
    expected = RecurrentLayer.read(made, x, before, Sequences(np.array(lengths)))
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected, rtol=0, atol=0.05)
    torch.testing.assert_close(found, torch.cat(alone), rtol=0, atol=0.02)
    (gradient,) = torch.autograd.grad(found.square().sum(), x)
    (reference,) = torch.autograd.grad(expected.square().sum(), x)
    torch.testing.assert_close(gradient, reference, rtol=0, atol=0.1)
