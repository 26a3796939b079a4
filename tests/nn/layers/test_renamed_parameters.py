"""Weights saved under the names of before load, and give what they gave."""

import pytest
import torch
from torch import nn

from spacy_structparse.nn.layers.attention import AdditiveAttention
from spacy_structparse.nn.layers.lstm import stacked_layers
from tests.helpers.naive_seq2seq import paper_lstm

N_INPUT, HIDDEN = 5, 4


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_torchs_layers(kind: str) -> None:
    rnn = (nn.GRU if kind == "gru" else nn.LSTM)(N_INPUT, HIDDEN, 2)
    layers = stacked_layers(kind, "torch", N_INPUT, HIDDEN, 2)
    layers.load_state_dict({f"rnn.{name}": weight for name, weight in rnn.state_dict().items()})
    x = torch.randn(7, N_INPUT)
    h, _ = layers.read(x, [1] * 7, torch.zeros(1, layers.state_size))
    torch.testing.assert_close(h, rnn(x)[0])


def test_the_lstm_of_vinyals_in_one_matrix() -> None:
    weights = [torch.randn(4 * HIDDEN, N_INPUT), torch.randn(4 * HIDDEN, HIDDEN)]
    layers = stacked_layers("lstm", "paper", N_INPUT, HIDDEN, 1)
    layers.load_state_dict({"gates.0.weight": torch.cat(weights, 1)})
    x, state = torch.randn(1, N_INPUT), torch.randn(1, 2 * HIDDEN)
    expected = paper_lstm(weights, x[0], tuple(state[0].split(HIDDEN)))
    torch.testing.assert_close(layers.step_function()([x], state)[1][0], torch.cat(expected))


@pytest.mark.parametrize(
    "names", [("of_position.weight", "of_state.weight"), ("of_phrase", "of_query")]
)
def test_attentions(names: tuple[str, str]) -> None:
    attention = AdditiveAttention(N_INPUT, 3, HIDDEN, has_bias=False)
    expected = {name: weight.clone() for name, weight in attention.state_dict().items()}
    before = dict(zip(names, (expected["of_position"], expected["of_query"]), strict=True))
    fresh = AdditiveAttention(N_INPUT, 3, HIDDEN, has_bias=False)
    fresh.load_state_dict({**before, "v": expected["v"][:, None]})
    assert all(torch.equal(fresh.state_dict()[name], weight) for name, weight in expected.items())


def test_names_that_nobody_had_are_refused() -> None:
    layers = stacked_layers("gru", "torch", N_INPUT, HIDDEN, 1)
    weights = {**layers.state_dict(), "rnn.weight_ih_l7": torch.zeros(1)}
    with pytest.raises(RuntimeError, match="Unexpected key"):
        layers.load_state_dict(weights)
