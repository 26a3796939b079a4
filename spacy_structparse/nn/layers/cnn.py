"""Gated, dilated, separable convolutions over the tokens of a batch of sentences, without padding.

A separable convolution mixes each number of a token with that of its neighbours, and then the
numbers of a token (Chollet 2017, "Xception"), which takes a third of the multiplications. Gated
linear units are those of Dauphin et al. (2017), "Language Modeling with Gated Convolutional
Networks"; dilations widen what a token sees, as in Strubell et al. (2017), "Fast and Accurate
Entity Recognition with Iterated Dilated Convolutions". All tokens of a batch are read at once, so
that a CPU reads several times as fast as with LSTMs.
"""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ..fast.device import to_device
from ..fast.linear import fast_linear
from .training import SentenceDropout, glorot_layers_, glorot_uniform_

DILATIONS = (1, 2, 4, 8, 1, 2)
"""How far the neighbours of a token are from it in each layer; more layers begin anew."""


def neighbours(lengths: np.ndarray, dilation: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the left and the right neighbour of each token, (N,) each.

    A neighbour outside the sentence is row N.

    Args:
        lengths: (B,) tokens of each sentence; they stand end to end.
        dilation: How far a neighbour is from the token.
    """
    ends = np.cumsum(lengths)
    rows = np.arange(ends[-1] if len(ends) else 0)
    first, end = np.repeat(ends - lengths, lengths), np.repeat(ends, lengths)
    left, right = rows - dilation, rows + dilation
    left[left < first] = right[right >= end] = len(rows)
    return left, right


class GatedConvolution(nn.Module):
    """One layer: x + a * sigmoid(b), where [a; b] is a separable convolution over the layer norm of
    x.

    Args:
        width: Width of the vectors.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.taps = nn.Parameter(torch.empty(3, width).uniform_(-1, 1))  # a variance of 1 / 3 each
        self.weight = nn.Parameter(torch.empty(2 * width, width))
        self.bias = nn.Parameter(torch.zeros(2 * width))
        glorot_uniform_(self.weight)

    def forward(
        self, x: Tensor, left: Tensor, right: Tensor, drop: SentenceDropout | None
    ) -> Tensor:
        """Read sentences: (N, width).

        Args:
            x: (N, width).
            left: (N,) the row of each token's left neighbour, N outside the sentence.
            right: (N,) likewise.
            drop: Dropout on what the convolution reads.
        """
        shown = self.norm(x)
        if drop is not None:
            shown = drop(shown)
        padded = functional.pad(shown, (0, 0, 0, 1))
        mixed = shown * self.taps[1]
        mixed = torch.addcmul(mixed, functional.embedding(left, padded), self.taps[0])
        mixed = torch.addcmul(mixed, functional.embedding(right, padded), self.taps[2])
        return x + functional.glu(fast_linear(mixed, self.weight, self.bias), 1)


class GatedCNN(nn.Module):
    """Layers of gated, dilated convolutions; each adds its input (He et al. 2016). The sum is
    normalized, without which training is slower.

    Args:
        n_input: Width of the tokens.
        hidden: Half of the width of the output, as that of one direction of a ``BiLSTM``.
        depth: Number of layers.
    """

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__()
        width = 2 * hidden
        self.input = nn.Linear(n_input, width)
        self.layers = nn.ModuleList(GatedConvolution(width) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        glorot_layers_(self.input)

    def forward(
        self,
        tokens: Tensor,
        lengths: np.ndarray,
        drop: SentenceDropout | None = None,
        drop_tokens: bool = True,
    ) -> Tensor:
        """Read sequences: (N, 2 * hidden).

        Args:
            tokens: (N, n_input), the sequences end to end.
            lengths: (B,) tokens of each.
            drop: Dropout on the input of every layer.
            drop_tokens: Whether the first map's input has dropout too.
        """
        shown = drop(tokens) if drop is not None and drop_tokens else tokens
        x = fast_linear(shown, self.input.weight, self.input.bias)
        sides: dict[int, list[Tensor]] = {}
        for depth, layer in enumerate(self.layers):
            dilation = DILATIONS[depth % len(DILATIONS)]
            if dilation not in sides:
                rows = neighbours(lengths, dilation)
                sides[dilation] = [to_device(side, x.device) for side in rows]
            x = layer(x, *sides[dilation], drop)
        normalized: Tensor = self.norm(x)
        return normalized
