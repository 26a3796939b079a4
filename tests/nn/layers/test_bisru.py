"""Simple recurrent units, beside the equations of Lei et al. (2018), a token at a time."""

import numpy as np
import pytest
import torch
from torch import Tensor

from spacy_structparse.nn.layers.bisru import BiSRU
from spacy_structparse.nn.layers.training import SentenceDropout

HIDDEN = 3
LENGTHS = [6, 5, 5, 1]


def made(n_input: int, depth: int) -> BiSRU:
    torch.manual_seed(0)
    encoder = BiSRU(n_input, HIDDEN, depth).double()
    for layer in encoder.layers:
        torch.nn.init.normal_(layer.bias)  # type: ignore[arg-type]
    return encoder


def read_one_by_one(encoder: BiSRU, sentence: Tensor) -> Tensor:
    for layer in encoder.layers:
        both = []
        for way, step in ((0, 1), (1, -1)):
            products = sentence @ layer.weight[way].t() + layer.bias[way]  # type: ignore[index]
            new, f, r, *highway = products.split(HIDDEN, 1)
            own = sentence[:, way * HIDDEN : (way + 1) * HIDDEN]
            c, before = torch.zeros_like(new), new.new_zeros(HIDDEN)
            for t in range(len(sentence))[::step]:
                forget = f[t].sigmoid()
                before = forget * before + (1 - forget) * new[t]
                c[t] = before
            reset = r.sigmoid()
            both.append(reset * c + (1 - reset) * (highway[0] if highway else own))
        sentence = torch.cat(both, 1)
    return sentence


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("n_input", [1, 4, 2 * HIDDEN])
def test_values_and_gradients_are_those_of_the_equations(n_input: int, depth: int) -> None:
    encoder = made(n_input, depth)
    tokens = torch.randn(sum(LENGTHS), n_input, dtype=torch.float64, requires_grad=True)
    expected = torch.cat([read_one_by_one(encoder, x) for x in tokens.split(LENGTHS)])
    found = encoder(tokens, np.array(LENGTHS))
    torch.testing.assert_close(found, expected)
    inputs = [tokens, *encoder.parameters()]
    gradients = torch.autograd.grad(found.square().sum(), inputs)
    for one, other in zip(
        gradients, torch.autograd.grad(expected.square().sum(), inputs), strict=True
    ):
        torch.testing.assert_close(one, other)


def test_dropout_leaves_what_is_added_whole() -> None:
    """Products see tokens with dropout; where the gate r is 0 the output is the token itself."""
    encoder = made(2 * HIDDEN, 1)
    (layer,) = encoder.layers
    layer.bias.data[:, 2 * HIDDEN :] = -1e6  # type: ignore[union-attr, operator]
    tokens = torch.randn(sum(LENGTHS), 2 * HIDDEN, dtype=torch.float64)
    drop = SentenceDropout(0.5, np.array(LENGTHS))
    torch.testing.assert_close(encoder(tokens, np.array(LENGTHS), drop), tokens)
