"""Gated, dilated convolutions over the tokens of a batch of sentences, without padding.

Gated linear units are those of Dauphin et al. (2017), "Language Modeling with Gated Convolutional
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


def neighbours(lengths: np.ndarray, dilation: int) -> np.ndarray:
    """Return the rows of the left neighbour of each token, of itself and of the right one: (N, 3).

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
    return np.stack([left, rows, right], 1)


class GatedConvolution(nn.Module):
    """One layer: x + a * sigmoid(b), where [a; b] is a convolution over the layer norm of x.

    Args:
        width: Width of the vectors.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.weight = nn.Parameter(torch.empty(2 * width, 3 * width))
        self.bias = nn.Parameter(torch.zeros(2 * width))
        glorot_uniform_(self.weight)

    def forward(self, x: Tensor, rows: Tensor, drop: SentenceDropout | None) -> Tensor:
        """Read sentences: (N, width).

        Args:
            x: (N, width).
            rows: (N, 3) as :func:`neighbours` has them.
            drop: Dropout on what the convolution reads.
        """
        shown = self.norm(x)
        if drop is not None:
            shown = drop(shown)
        windows = functional.embedding(rows, functional.pad(shown, (0, 0, 0, 1))).flatten(1)
        return x + functional.glu(fast_linear(windows, self.weight, self.bias), 1)


class GatedCNN(nn.Module):
    """Layers of gated, dilated convolutions; each adds its input (He et al. 2016).

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
        index: dict[int, Tensor] = {}
        for depth, layer in enumerate(self.layers):
            dilation = DILATIONS[depth % len(DILATIONS)]
            if dilation not in index:
                index[dilation] = to_device(neighbours(lengths, dilation), x.device)
            x = layer(x, index[dilation], drop)
        return x
