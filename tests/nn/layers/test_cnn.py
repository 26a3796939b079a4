"""Gated convolutions over sentences end to end, beside torch's own over one sentence."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import conv1d, glu

from spacy_structparse.nn.layers.cnn import DILATIONS, GatedCNN

LENGTHS = [9, 5, 5, 1]


def read_alone(encoder: GatedCNN, sentence: Tensor) -> Tensor:
    x = encoder.input(sentence)
    for layer, dilation in zip(encoder.layers, DILATIONS * 2, strict=False):
        width = x.shape[1]
        shown, kernel = layer.norm(x).t()[None], layer.taps.t()[:, None]
        mixed = conv1d(shown, kernel, padding=dilation, dilation=dilation, groups=width)
        x = x + glu(mixed[0].t() @ layer.weight.t() + layer.bias, 1)
    return encoder.norm(x)  # type: ignore[no-any-return]


@pytest.mark.parametrize("depth", [1, 4, 7])
def test_values_and_gradients_are_those_of_one_sentence(depth: int) -> None:
    torch.manual_seed(0)
    encoder = GatedCNN(3, 2, depth).double()
    tokens = torch.randn(sum(LENGTHS), 3, dtype=torch.float64, requires_grad=True)
    expected = torch.cat([read_alone(encoder, x) for x in tokens.split(LENGTHS)])
    read = encoder(tokens, np.array(LENGTHS))
    torch.testing.assert_close(read, expected)
    inputs = [tokens, *encoder.parameters()]
    gradients, of_expected = (
        torch.autograd.grad(output.square().sum(), inputs) for output in (read, expected)
    )
    torch.testing.assert_close(gradients, of_expected)


def test_dropout_leaves_what_is_added_whole() -> None:
    encoder = GatedCNN(4, 2, 2)
    tokens, lengths = torch.randn(sum(LENGTHS), 4), np.array(LENGTHS)
    dropped = encoder(tokens, lengths, torch.zeros_like, drop_tokens=False)  # type: ignore[arg-type]
    of_biases = sum(glu(layer.bias, 0) for layer in encoder.layers)
    expected = encoder.norm(encoder.input(tokens) + of_biases)
    torch.testing.assert_close(dropped, expected)
