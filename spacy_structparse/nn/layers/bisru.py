"""A bidirectional simple recurrent unit over the tokens of a batch of sentences, without padding.

Lei et al. (2018), "Simple Recurrent Units for Highly Parallelizable Recurrence". All products of
matrices of a layer are one product over all tokens, so that a CPU reads faster than with LSTMs
of the same width.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..kernels.autocast import at_least_single
from ..kernels.device import to_device
from ..kernels.linear_recurrence import LinearRecurrence
from ..kernels.packed_linear import project
from ..kernels.sequences import Sequences
from ..kernels.trie import Trie
from .dropout import SentenceDropout


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
        bfloat16: Whether products are in bfloat16 in parsing, on a CPU that has instructions for
            it.
    """

    def __init__(self, n_input: int, hidden: int, bfloat16: bool) -> None:
        super().__init__()
        self.hidden, self.reads_bfloat16 = hidden, bfloat16
        self.adds_input = n_input == 2 * hidden
        rows = (3 if self.adds_input else 4) * 2 * hidden
        # The variance that the paper asks for (§3.2).
        bound = math.sqrt(3 / n_input)
        self.weight = nn.Parameter(torch.empty(rows, n_input).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(rows))

    def forward(self, x: Tensor, shown: Tensor, both_ways: Sequence[Trie]) -> Tensor:
        """Read sequences: (N, 2 * hidden).

        Args:
            x: (N, n_input), the sequences end to end.
            shown: (N, n_input) what products see of x: x with dropout.
            both_ways: The order of steps from the first token on, and from the last.
        """
        products = at_least_single(project(shown, self.weight, self.bias, self.reads_bfloat16))
        new, forget, reset, *highway = products.split(2 * self.hidden, 1)
        new, forget = (
            self._each_way(part, [way.order for way in both_ways])
            for part in (new, forget.sigmoid())
        )
        by_step = LinearRecurrence.apply(new, forget, both_ways[0].sizes)
        c = self._each_way(by_step, [way.inverse for way in both_ways])
        return torch.lerp(highway[0] if highway else x, c, reset.sigmoid())

    def _each_way(self, x: Tensor, rows: Sequence[Tensor]) -> Tensor:
        """Rows of the half of each direction, side by side: (N, 2 * hidden)."""
        halves = zip(x.split(self.hidden, 1), rows, strict=True)
        return torch.cat([half.index_select(0, order) for half, order in halves], 1)


class BiSRU(nn.Module):
    """Layers of simple recurrent units that read both ways.

    Args:
        n_input: Width of the tokens.
        hidden: Width of one direction; the output is ``2 * hidden`` wide.
        depth: Number of layers.
        bfloat16: Whether products are in bfloat16 in parsing, on a CPU that has instructions for
            it.
    """

    def __init__(self, n_input: int, hidden: int, depth: int, bfloat16: bool = False) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            BothWaysSRU(2 * hidden if layer else n_input, hidden, bfloat16)
            for layer in range(depth)
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
        ways = Sequences(lengths), Sequences(lengths, reverse=True)
        both_ways = [to_device(way.by_step, tokens.device) for way in ways]
        x = tokens
        for depth, layer in enumerate(self.layers):
            shown = drop(x) if drop is not None and (depth or drop_tokens) else x
            x = layer(x, shown, both_ways)
        return x
