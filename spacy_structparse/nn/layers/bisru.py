"""A bidirectional simple recurrent unit over the tokens of a batch of sentences, without padding.

Lei et al. (2018), "Simple Recurrent Units for Highly Parallelizable Recurrence". All products of
matrices of a direction are one product over all tokens, so that a CPU reads faster than with LSTMs
of the same width.
"""

import math
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..kernels.autocast import at_least_single
from ..kernels.device import to_device, uploaded
from ..kernels.linear_recurrence import LinearRecurrence
from ..kernels.packed_linear import project
from ..kernels.sequences import Sequences
from .dropout import SentenceDropout
from .renamed_parameters import split_ways


@dataclass(frozen=True)
class Steps:
    """The steps in which sequences are read.

    Attributes:
        sizes: How many sequences each step has; they are the first ones of the step before.
        turned: (N,) of each element, step after step from the last token on, the row in the order
            of steps from the first.
        back: (N,) the reverse.
    """

    sizes: tuple[int, ...]
    turned: Tensor
    back: Tensor


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

    Attributes:
        weight: (2, rows, n_input) of each direction; W, W_f, W_r and the further product's.
        bias: (2, rows).
    """

    def __init__(self, n_input: int, hidden: int, bfloat16: bool) -> None:
        super().__init__()
        self.hidden, self.reads_bfloat16 = hidden, bfloat16
        self.adds_input = n_input == 2 * hidden
        rows = (3 if self.adds_input else 4) * hidden
        # The variance that the paper asks for (§3.2).
        bound = math.sqrt(3 / n_input)
        self.weight = nn.Parameter(torch.empty(2, rows, n_input).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(2, rows))

    def forward(self, x: Tensor, shown: Tensor, steps: Steps) -> Tensor:
        """Read sequences: (N, 2 * hidden), in the order of x.

        Args:
            x: (N, n_input), step after step from the first token on.
            shown: (N, n_input) what products see of x: x with dropout.
            steps: The order of both directions.
        """
        of_ways = x.split(self.hidden, 1) if self.adds_input else (None, None)
        maps = zip(self.weight.unbind(0), self.bias.unbind(0), strict=True)
        forwards = self._read(next(maps), of_ways[0], shown, steps.sizes)
        turned = None if of_ways[1] is None else of_ways[1].index_select(0, steps.turned)
        seen = shown.index_select(0, steps.turned)
        backwards = self._read(next(maps), turned, seen, steps.sizes)
        return torch.cat([forwards, backwards.index_select(0, steps.back)], 1)

    def _read(
        self,
        of_way: tuple[Tensor, Tensor],
        x: Tensor | None,
        shown: Tensor,
        sizes: tuple[int, ...],
    ) -> Tensor:
        """Read one way: (N, hidden), step after step.

        Args:
            of_way: The direction's weights and biases.
            x: (N, hidden) x_t of the last equation; None where it is a product.
            shown: (N, n_input) what products see.
            sizes: Sequences of each step.
        """
        products = project(shown, *of_way, self.reads_bfloat16)
        widths = [self.hidden, 2 * self.hidden, products.shape[1] - 3 * self.hidden]
        new, gates, highway = at_least_single(products).split(widths, 1)
        f, r = gates.sigmoid().chunk(2, 1)
        c = LinearRecurrence.apply(new, f, sizes)
        return torch.lerp(highway if x is None else x, c, r)

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
        first, last = Sequences(lengths).by_step, Sequences(lengths, reverse=True).by_step
        turned, back = first.inverse[last.order], last.inverse[first.order]
        steps = to_device(Steps(first.sizes, turned, back), tokens.device)
        order, inverse = (uploaded(one, tokens.device) for one in (first.order, first.inverse))
        x = tokens.index_select(0, order)
        for depth, layer in enumerate(self.layers):
            shown = drop(x, order) if drop is not None and (depth or drop_tokens) else x
            x = layer(x, shown, steps)
        return x.index_select(0, inverse)
