import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from spacy_structparse.nn.kernels.sequences import CALL, LARGE, SIZES, Sequences
from spacy_structparse.nn.layers.rnn import lstm
from spacy_structparse.nn.layers.rnn.layer import RecurrentLayer
from spacy_structparse.nn.stack_lstm.stack import CELLS

LENGTHS = st.lists(st.integers(1, 300), max_size=80).map(lambda x: sorted(x, reverse=True))


def as_array(lengths: list[int]) -> np.ndarray:
    return np.array(lengths, dtype=np.int64)


@given(lengths=LENGTHS, reverse=st.booleans())
@settings(max_examples=60)
def test_every_element_has_a_cell_and_sequences_keep_their_order(
    lengths: list[int], reverse: bool
) -> None:
    sequences = Sequences(as_array(lengths), reverse).rectangles
    order, inverse = sequences.order.numpy(), sequences.inverse.numpy()
    assert order[inverse].tolist() == list(range(sum(lengths)))
    assert len(set(inverse.tolist())) == sum(lengths)
    ends = np.cumsum([steps * size for steps, size in sequences.shapes])
    starts = np.concatenate([[0], ends[:-1]]).astype(int) if len(ends) else np.empty(0, int)
    first = 0
    for n in lengths:
        cells = inverse[first : first + n]
        cells = cells[::-1] if reverse else cells
        rectangle = int(np.searchsorted(ends, cells[0], side="right"))
        _, size = sequences.shapes[rectangle]
        # The first element is read in the first step, and each later one a step after.
        assert 0 <= cells[0] - starts[rectangle] < size
        assert (np.diff(cells) == size).all()
        first += n


def test_sequences_of_one_length_are_not_padded() -> None:
    assert Sequences(as_array([16] * 48)).rectangles.shapes == ((16, 48),)


def test_rectangles_have_few_shapes() -> None:
    """Each costs time and memory, which grows until all of them have been met."""
    shapes = {
        shape
        for n in range(1, 129)
        for size in (1, 5, 20, 48)
        for shape in Sequences(as_array([n] * size)).rectangles.shapes
    }
    # Four numbers of steps between two powers of two, and two above 32.
    assert len({steps for steps, _ in shapes}) == 20
    assert {size for _, size in shapes} <= set(SIZES)


@given(lengths=LENGTHS)
@settings(max_examples=30)
def test_padding_costs_less_than_reading_every_sequence_alone(lengths: list[int]) -> None:
    shapes = Sequences(as_array(lengths)).rectangles.shapes
    cells = sum(steps * size for steps, size in shapes)
    alone = sum(n + n // (4 if n <= LARGE else 2) + CALL for n in lengths)
    assert cells + CALL * len(shapes) <= alone


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
            state = made.step(made.project(element[None]), state)
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
    as_on_a_gpu = lstm._read_by_step(x, before, made.library_weights(), sequences)
    torch.testing.assert_close(as_on_a_gpu, expected, rtol=1e-5, atol=1e-6)
    (gradient,) = torch.autograd.grad(found.square().sum(), x)
    (reference,) = torch.autograd.grad(expected.square().sum(), x)
    torch.testing.assert_close(gradient, reference, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cell", CELLS)
def test_no_sequences_at_all(cell: str) -> None:
    made = CELLS[cell](5, 4)
    nothing = Sequences(np.empty(0, dtype=np.int64))
    assert made.read(torch.empty(0, 5), [torch.zeros(4)] * made.n_parts, nothing).shape == (0, 4)


def test_bfloat16_is_close_and_batch_invariant() -> None:
    torch.manual_seed(0)
    made = CELLS["torch"](6, 16)
    made.reads_bfloat16 = True
    lengths = [31, 30, 17, 3]
    x = torch.randn(sum(lengths), 6, requires_grad=True)
    before = [torch.zeros(16), torch.zeros(16)]
    found = made.read(x, before, Sequences(np.array(lengths)))
    expected = RecurrentLayer.read(made, x, before, Sequences(np.array(lengths)))
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected, rtol=0, atol=0.05)
    alone = [made.read(part, before, Sequences(np.array([len(part)]))) for part in x.split(lengths)]
    torch.testing.assert_close(found, torch.cat(alone), rtol=0, atol=0.02)
    (gradient,) = torch.autograd.grad(found.square().sum(), x)
    (reference,) = torch.autograd.grad(expected.square().sum(), x)
    torch.testing.assert_close(gradient, reference, rtol=0, atol=0.1)
