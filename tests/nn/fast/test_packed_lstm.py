"""The LSTM with arranged weights, beside torch's own."""

import pytest
import torch

from spacy_structparse.nn.fast.lstm import packed_lstm_function

N_INPUT, HIDDEN = 20, 12


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("steps,sequences", [(1, 1), (7, 1), (5, 16)])
def test_outputs_are_those_of_torch(dtype: torch.dtype, steps: int, sequences: int) -> None:
    torch.manual_seed(0)
    shapes = (4 * HIDDEN, N_INPUT), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,), (4 * HIDDEN,)
    weights = [torch.randn(*shape).to(dtype) for shape in shapes]
    x = torch.randn(steps, sequences, N_INPUT).to(dtype)
    before = [torch.randn(1, sequences, HIDDEN).to(dtype) for _ in range(2)]
    with torch.inference_mode():
        expected = torch.lstm(x, before, weights, True, 1, 0.0, False, False, False)[0]
        found = packed_lstm_function(weights)(x, before)
    torch.testing.assert_close(found, expected)
