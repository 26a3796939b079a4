"""A bidirectional LSTM over the tokens of a batch of sentences, without padding."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..kernels.sequences import Sequences
from .dropout import SentenceDropout
from .rnn.lstm import LSTM


class BiLSTM(nn.Module):
    """Layers of LSTMs that read both ways; after the first each adds its input (He et al. 2016).

    Args:
        n_input: Width of the tokens.
        hidden: Width of one direction; the output is ``2 * hidden`` wide.
        depth: Number of layers.
        bfloat16: Whether it reads in bfloat16 on a CPU that has instructions for it.
    """

    def __init__(self, n_input: int, hidden: int, depth: int, bfloat16: bool = False) -> None:
        super().__init__()
        self.hidden = hidden
        forwards, backwards = (
            [LSTM(2 * hidden if layer else n_input, hidden) for layer in range(depth)]
            for _ in range(2)
        )
        for layer in (*forwards, *backwards):
            layer.reads_bfloat16 = bfloat16
        self.forwards: Sequence[LSTM] = nn.ModuleList(forwards)  # type: ignore[assignment]
        self.backwards: Sequence[LSTM] = nn.ModuleList(backwards)  # type: ignore[assignment]

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
            lengths: (B,) tokens of each.
            drop: Dropout on the input of every layer.
            drop_tokens: Whether the first layer's input has dropout too.
        """
        both_ways = Sequences(lengths), Sequences(lengths, reverse=True)
        x, zeros = tokens, tokens.new_zeros(self.hidden)
        for depth, cells in enumerate(zip(self.forwards, self.backwards, strict=True)):
            shown = drop(x) if drop is not None and (depth or drop_tokens) else x
            h = [
                cell.read(shown, [zeros, zeros], sequences)
                for cell, sequences in zip(cells, both_ways, strict=True)
            ]
            x = torch.cat(h, 1) if depth == 0 else x + torch.cat(h, 1)
        return x
