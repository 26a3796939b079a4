"""Scans of all positions together are those of one position after another."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from spacy_structparse.nn.fast import device
from spacy_structparse.nn.layers.pyramid_scan import PyramidScan
from tests.helpers.precision import in_bfloat16

LENGTHS = np.array([4, 1, 3, 6])
N_INPUT, HIDDEN = 5, 3
EVERY_WAY = [(order, side) for order in ("tob", "bot") for side in ("left", "right")]


def read_one_by_one(order: str, side: str, n: int, target: int) -> list[int]:
    """The positions read for a target of a sentence of n, as in Eqs. 25 and 26."""
    outwards = list(range(target - 1, -1, -1) if side == "left" else range(target + 1, n))
    return [target, *(outwards if order == "tob" else reversed(outwards))]


def naive(scan: PyramidScan, positions: Tensor, lengths: np.ndarray) -> Tensor:
    """torch's GRU cell, a position at a time."""
    cell = nn.GRUCell(N_INPUT, HIDDEN).double()
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    weights = (scan.weight_x, scan.weight_h, scan.bias_x, scan.bias_h)
    found = []
    for sentence in positions.split(lengths.tolist()):
        for target in range(len(sentence)):
            h = positions.new_zeros(1, HIDDEN)
            for i in read_one_by_one(scan.order, scan.side, len(sentence), target):
                given = dict(zip(names, weights, strict=True))
                h = torch.func.functional_call(cell, given, (sentence[i : i + 1], h))
            found.append(h)
    return torch.cat(found)


def small_scan(order: str, side: str) -> PyramidScan:
    torch.manual_seed(0)
    scan = PyramidScan(N_INPUT, HIDDEN, order, side).double()
    with torch.no_grad():
        for parameter in scan.parameters():
            parameter.normal_(0, 0.8)
    return scan


@pytest.mark.parametrize(("order", "side"), EVERY_WAY)
@pytest.mark.parametrize("max_rows", [1, 7, 1000])
def test_values_and_gradients_are_those_of_the_equations(
    order: str, side: str, max_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "MAX_CELLS", max_rows * HIDDEN)
    scan = small_scan(order, side)
    positions = torch.randn(int(LENGTHS.sum()), N_INPUT, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(len(positions), HIDDEN, dtype=torch.float64)
    inputs = [positions, *scan.parameters()]
    expected = naive(scan, positions, LENGTHS)
    expected_gradients = torch.autograd.grad((expected * weights).sum(), inputs)
    found = scan(positions, LENGTHS)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    gradients = torch.autograd.grad((found * weights).sum(), inputs)
    for one, other in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)
    with torch.no_grad():
        torch.testing.assert_close(scan(positions, LENGTHS), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("max_rows", [1, 7, 1000])
def test_every_state_is_the_last_one_of_a_shorter_sentence(
    max_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Towards the boundary, the scan from word i has read the words up to j after j - i steps."""
    monkeypatch.setattr(device, "MAX_CELLS", max_rows * HIDDEN)
    scan = small_scan("tob", "right")
    positions = torch.randn(int(LENGTHS.sum()), N_INPUT, dtype=torch.float64, requires_grad=True)
    expected = [
        naive(scan, sentence[start:end], np.array([end - start]))[0]
        for sentence in positions.split(LENGTHS.tolist())
        for start in range(len(sentence))
        for end in range(start + 1, len(sentence) + 1)
    ]
    found = scan(positions, LENGTHS, every_step=True)
    torch.testing.assert_close(found, torch.stack(expected), rtol=1e-9, atol=1e-9)
    weights = torch.randn_like(found)
    inputs = [positions, *scan.parameters()]
    ours, theirs = (
        torch.autograd.grad((x * weights).sum(), inputs) for x in (found, torch.stack(expected))
    )
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)
    with torch.no_grad():
        torch.testing.assert_close(scan(positions, LENGTHS, every_step=True), found.detach())


@pytest.mark.parametrize("every_step", [False, True])
def test_bfloat16_is_close_and_batch_invariant(every_step: bool) -> None:
    torch.manual_seed(0)
    scan = PyramidScan(6, 32, "bot", "left")
    lengths = [31, 30, 17, 3]
    x = torch.randn(sum(lengths), 6, requires_grad=True)
    read = partial(scan, every_step=every_step)
    expected = read(x, np.array(lengths))
    with in_bfloat16():
        found = read(x, np.array(lengths))
        alone = [read(part, np.array([len(part)])) for part in x.split(lengths)]
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, expected, rtol=0, atol=0.05)
    torch.testing.assert_close(found, torch.cat(alone), rtol=0, atol=0.02)
    inputs = [x, *scan.parameters()]
    ours, theirs = (torch.autograd.grad(y.square().mean(), inputs) for y in (found, expected))
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == torch.float32
        torch.testing.assert_close(one, other, rtol=0, atol=float(other.abs().max()) / 20)
    with torch.no_grad(), in_bfloat16():
        torch.testing.assert_close(read(x, np.array(lengths)), found, rtol=0, atol=0.02)


def test_no_position() -> None:
    scan = small_scan("bot", "left")
    assert scan(torch.zeros(0, N_INPUT).double(), np.array([], dtype=int)).shape == (0, HIDDEN)
