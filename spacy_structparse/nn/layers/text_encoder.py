"""Recurrent layers over whole texts, whose output several components read."""

from typing import Literal

import numpy as np
from torch import Tensor, nn

from ..kernels.device import uploaded
from .bilstm import BiLSTM
from .bisru import BiSRU
from .dropout import SentenceDropout


class TextEncoder(nn.Module):
    """Token vectors that know their text.

    Args:
        n_input: Width of the tokens.
        width: Width of the output, an even number.
        depth: Number of layers.
        bfloat16: Whether it reads in bfloat16 on a CPU that has instructions for it.
        kind: The layers, ``bilstm`` or ``bisru``.

    Attributes:
        dropout: Rate of the dropout on the input of every layer, in training.
    """

    def __init__(
        self,
        n_input: int,
        width: int,
        depth: int,
        bfloat16: bool,
        kind: Literal["bilstm", "bisru"] = "bilstm",
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.width = width
        both_ways = BiSRU if kind == "bisru" else BiLSTM
        self.rnn = both_ways(n_input, width // 2, depth, bfloat16)

    def forward(self, tokens: Tensor, lengths: np.ndarray) -> Tensor:
        """Read texts: (N, width).

        Args:
            tokens: (N, n_input), the texts end to end, longest first.
            lengths: (B,) tokens of each, at least one.
        """
        if not len(lengths):
            # Whoever asks for a gradient gets one.
            return tokens.sum() + tokens.new_zeros(0, self.width)
        rate = self.dropout if self.training else 0.0
        of = uploaded(np.repeat(np.arange(len(lengths)), lengths), tokens.device)
        return self.rnn(tokens, lengths, SentenceDropout(rate, of, len(lengths)))
