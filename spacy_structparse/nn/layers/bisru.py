"""A bidirectional simple recurrent unit over the tokens of a batch of sentences, without padding.

Lei et al. (2018), "Simple Recurrent Units for Highly Parallelizable Recurrence". All products of
matrices of a layer are one product over all tokens, so that a CPU reads faster than with LSTMs of
the same width.
"""

import math
from collections.abc import MutableMapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..fast.linear import fast_linear
from ..fast.sequences import Sequences
from .renamed_parameters import split_ways
from .training import SentenceDropout


def linear_recurrence(x: Tensor, f: Tensor, sizes: Sequence[int], reverse: bool) -> Tensor:
    """Return c_t = f_t * c_(t-1) + (1 - f_t) * x_t, element by element: (N, width).

    All of its gates are known before it starts, so a step is one operation on all sequences of a
    batch. Before the first element c is zero.

    Args:
        x: (N, width), step after step, from the first elements of sequences on.
        f: (N, width), from 0 to 1.
        sizes: How many sequences each step has; they are the first ones of the step before.
        reverse: Whether sequences are read from the last element on: c_(t+1) stands for c_(t-1).
    """
    new = torch.addcmul(x, x, f, value=-1).split(list(sizes))
    forget = f.split(list(sizes))
    states = list(new)
    steps = range(len(new))[::-1] if reverse else range(len(new))
    for before, now in pairwise(steps):
        n = min(sizes[before], sizes[now])
        continued = torch.addcmul(new[now][:n], states[before][:n], forget[now][:n])
        states[now] = torch.cat([continued, new[now][n:]])
    return torch.cat(states)


class BothWaysSRU(nn.Module):
    """One layer of simple recurrent units that read both ways.

    Of the paper's equations (1) to (4) it has those without ``v``: gates see the token alone, not
    the state, as in the paper's first version. The factor of x_t (§3.2) is left out, too. Of each
    direction

        f_t = sigmoid(W_f x_t + b_f)
        r_t = sigmoid(W_r x_t + b_r)
        c_t = f_t * c_(t-1) + (1 - f_t) * (W x_t)
        h_t = r_t * c_t + (1 - r_t) * x_t

    A layer whose input has another width than its output has a further product in place of x_t in
    the last equation.

    Args:
        n_input: Width of the tokens.
        hidden: Width of one direction.

    Attributes:
        weight: (2, rows, n_input) of each direction; W, W_f, W_r and the further product's.
        bias: (2, rows).
    """

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.adds_input = n_input == 2 * hidden
        rows = (3 if self.adds_input else 4) * hidden
        # The variance that the paper asks for (§3.2).
        bound = math.sqrt(3 / n_input)
        self.weight = nn.Parameter(torch.empty(2, rows, n_input).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(2, rows))

    def forward(self, x: Tensor, shown: Tensor, sizes: Sequence[int]) -> Tensor:
        """Read sequences: (N, 2 * hidden), in the order of x.

        Args:
            x: (N, n_input), step after step from the first token on.
            shown: (N, n_input) what products see of x: x with dropout.
            sizes: How many sequences each step has; they are the first ones of the step before.
        """
        weight, bias = self.weight.flatten(0, 1), self.bias.flatten()
        products = fast_linear(shown, weight, bias)
        ways = zip(products.chunk(2, 1), x.tensor_split(2, 1), (False, True), strict=True)
        return torch.cat([self._read(*way, sizes) for way in ways], 1)

    def _read(self, products: Tensor, x: Tensor, reverse: bool, sizes: Sequence[int]) -> Tensor:
        """Read one way: (N, hidden), step after step from the first token on.

        Args:
            products: (N, rows) of the direction.
            x: (N, hidden) x_t of the last equation, unless that is a product.
            reverse: Whether sequences are read from the last token on.
            sizes: Sequences of each step.
        """
        widths = [self.hidden, 2 * self.hidden, products.shape[1] - 3 * self.hidden]
        new, gates, highway = products.split(widths, 1)
        f, r = gates.sigmoid().chunk(2, 1)
        c = linear_recurrence(new, f, sizes, reverse)
        return torch.lerp(x if self.adds_input else highway, c, r)

    def _load_from_state_dict(
        self, state_dict: MutableMapping[str, Tensor], prefix: str, *args: Any
    ) -> None:
        split_ways(state_dict, prefix, self.hidden)
        super()._load_from_state_dict(state_dict, prefix, *args)


class BiSRU(nn.Module):
    """Layers of simple recurrent units that read both ways.

    Args:
        n_input: Width of the tokens.
        hidden: Width of one direction; the output is ``2 * hidden`` wide.
        depth: Number of layers.
    """

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            BothWaysSRU(2 * hidden if layer else n_input, hidden) for layer in range(depth)
        )

    def forward(
        self,
        tokens: Tensor,
        lengths: np.ndarray,
        drop: SentenceDropout | None = None,
        drop_tokens: bool = True,
    ) -> Tensor:
        """Read sequences: (N, 2 * hidden).

        Args:
            tokens: (N, n_input), the sequences end to end, longest first.
            lengths: (B,) tokens of each, at least one sequence.
            drop: Dropout on the input of the products of every layer.
            drop_tokens: Whether the first layer's input has dropout too.
        """
        by_step = Sequences(lengths).by_step(tokens)
        x = tokens.index_select(0, by_step.order)
        for depth, layer in enumerate(self.layers):
            shown = drop(x, by_step.order) if drop is not None and (depth or drop_tokens) else x
            x = layer(x, shown, by_step.sizes)
        return x.index_select(0, by_step.inverse)
