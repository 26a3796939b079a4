"""The pyramid as a second encoder of a sentence: its phrases beside its words ("Phrasal Recurrent
Neural Network", §2.3 and Figure 5).

A GRU starts at every word and reads to the end of the sentence, the end symbol included. ``last``
(src-pyr-last): what each ends in, the phrases from a word to the end, n + 1 for n words; ``all``
(src-pyr-all): every state of all of them, (n + 1)(n + 2) / 2 phrases.
"""

from typing import Literal

import numpy as np
from torch import Tensor, nn

from ..layers.encoder import Encoded
from ..layers.pyramid_scan import PyramidScan

PhraseKind = Literal["last", "all"]


class PhraseEncoder(nn.Module):
    """kind: ``last`` or ``all``. n_input: width of a word. hidden: of a phrase. max_cells: the most
    steps, times ``hidden``, whose parts are in memory together. bfloat16: see PyramidScan."""

    def __init__(
        self, kind: PhraseKind, n_input: int, hidden: int, max_cells: int, bfloat16: bool = False
    ) -> None:
        super().__init__()
        self.kind = kind
        self.scan = PyramidScan(
            n_input, hidden, "tob", "right", max(1, max_cells // hidden), bfloat16
        )

    def forward(self, words: Tensor, lengths: np.ndarray) -> Encoded:
        """words: (P, n_input), sentences and their end symbols end to end; lengths: (B,) of each.
        The result's positions are phrases, those that start with the first word first."""
        if self.kind == "last":
            return Encoded(self.scan(words, lengths), lengths, None)
        return Encoded(self.scan.all_states(words, lengths), lengths * (lengths + 1) // 2, None)
