"""The recurrent layers read, step and learn as torch's own do, and as Vinyals et al. (2015) say."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.layers.lstm import stacked_layers
from spacy_structparse.nn.layers.recurrent import StackedLayers
from tests.helpers.naive_seq2seq import gru, lstm, paper_lstm
from tests.helpers.plain_step import plain_step_of_all

N_INPUT, HIDDEN = 5, 4
SIZES = [4, 4, 3, 1, 1]  # how many sequences are still running at each step
KINDS = [("gru", "torch"), ("lstm", "torch"), ("lstm", "paper")]
EXACT = {"rtol": 1e-10, "atol": 1e-10}


def random_cell(kind: str, cell: str, depth: int, n_input: int = N_INPUT) -> StackedLayers:
    """Layers in float64 whose biases are random too."""
    torch.manual_seed(3)
    layers = stacked_layers(kind, cell, n_input, HIDDEN, depth).double()
    with torch.no_grad():
        for parameter in layers.parameters():
            parameter.normal_(0.0, 0.6)
    return layers


def inputs_of(layers: StackedLayers, sizes: Sequence[int] = SIZES) -> tuple[Tensor, Tensor]:
    """Random rows and a random first state."""
    generator = torch.Generator().manual_seed(4)
    x = torch.randn(sum(sizes), layers.n_input, generator=generator, dtype=torch.float64)
    state = torch.randn(sizes[0], layers.state_size, generator=generator, dtype=torch.float64)
    return x.requires_grad_(), state.requires_grad_()


def outcome(layers: StackedLayers, h: Tensor, last: Tensor, *inputs: Tensor) -> list[Tensor]:
    """Outputs and all gradients of a loss that tells every output from every other."""
    rows = torch.arange(1.0, 1.0 + h.numel(), dtype=h.dtype).view_as(h).cos()
    ends = torch.arange(1.0, 1.0 + last.numel(), dtype=h.dtype).view_as(last).sin()
    loss = (h * rows).sum() + (last * ends).sum()
    gradients = torch.autograd.grad(loss, [*inputs, *layers.parameters()])
    return [h, last, *gradients]


def assert_same(found: list[Tensor], expected: list[Tensor]) -> None:
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, **EXACT)


def by_steps(layers: StackedLayers, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    """The plain loop over the equations."""
    outputs, ended = [], []
    for rows in x.split(SIZES):
        ended.append(state[len(rows) :])
        h, state = plain_step_of_all(layers, rows, state[: len(rows)])
        outputs.append(h)
    return torch.cat(outputs), torch.cat([state, *reversed(ended)])


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(("kind", "cell"), KINDS)
def test_reading_equals_the_plain_loop(kind: str, cell: str, depth: int) -> None:
    layers = random_cell(kind, cell, depth)
    x, state = inputs_of(layers)
    found = outcome(layers, *layers.read(x, SIZES, state), x, state)
    assert_same(found, outcome(layers, *by_steps(layers, x, state), x, state))


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(("kind", "cell"), KINDS)
def test_training_steps_equal_the_plain_loop(kind: str, cell: str, depth: int) -> None:
    layers = random_cell(kind, cell, depth)
    x, state = inputs_of(layers)
    step = layers.step_function()
    outputs, ended, now = [], [], state
    for rows in x.split(SIZES):
        ended.append(now[len(rows) :])
        h, now = step([rows], now[: len(rows)])
        outputs.append(h)
    last = torch.cat([now, *reversed(ended)])
    found = outcome(layers, torch.cat(outputs), last, x, state)
    assert_same(found, outcome(layers, *by_steps(layers, x, state), x, state))


@pytest.mark.parametrize("n_precomputed", [0, 2, N_INPUT])
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(("kind", "cell"), KINDS)
@torch.no_grad()
def test_decoding_steps_take_their_input_in_parts_and_precomputed(
    kind: str, cell: str, depth: int, n_precomputed: int
) -> None:
    layers = random_cell(kind, cell, depth)
    x, state = inputs_of(layers)
    step = layers.step_function(n_precomputed)
    for rows in x.split(SIZES):
        expected, after = plain_step_of_all(layers, rows, state[: len(rows)])
        precomputed = layers.layers[0].project(rows[:, :n_precomputed]) if n_precomputed else None
        middle = max(n_precomputed, 3)
        parts = [
            part for part in (rows[:, n_precomputed:middle], rows[:, middle:]) if part.shape[1]
        ]
        h, state = step(parts, state[: len(rows)], precomputed)
        assert_same([h, state], [expected, after])


@pytest.mark.parametrize(
    ("kind", "cell", "equations"),
    [("gru", "torch", gru), ("lstm", "torch", lstm), ("lstm", "paper", paper_lstm)],
)
@torch.no_grad()
def test_a_step_is_the_equations(kind: str, cell: str, equations: object) -> None:
    layers = random_cell(kind, cell, 1)
    x, state = inputs_of(layers)
    h, after = plain_step_of_all(layers, x[: SIZES[0]], state)
    for row in range(SIZES[0]):
        before = state[row].split(HIDDEN)
        new = equations([*layers.parameters()], x[row], before)  # type: ignore[operator]
        assert_same([h[row], after[row]], [new[0], torch.cat(new)])
