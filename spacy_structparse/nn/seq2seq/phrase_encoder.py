"""The pyramid as a second encoder of a sentence: its phrases beside its words ("Phrasal Recurrent
Neural Network", §4.2 and Figure 5).

A GRU starts at every word and reads to the end of the sentence, the end symbol included. ``last``
(src-pyr-last) keeps its last states, the phrases from a word to the end: n + 1 for n words. ``all``
(src-pyr-all) keeps every state: (n + 1)(n + 2) / 2 phrases.
"""

from typing import Literal

import numpy as np
from torch import Tensor, nn

from ..layers.encoder import Encoded
from ..layers.pyramid_scan import PyramidScan

PhraseKind = Literal["last", "all"]


class PhraseEncoder(nn.Module):
    """An encoder of phrases.

    Args:
        kind: ``last`` or ``all``.
        n_input: Width of a word.
        hidden: Width of a phrase.
        max_cells: The most steps, times ``hidden``, whose parts are in memory together.
        bfloat16: See :class:`PyramidScan`.
    """

    def __init__(
        self, kind: PhraseKind, n_input: int, hidden: int, max_cells: int, bfloat16: bool = False
    ) -> None:
        super().__init__()
        self.kind = kind
        self.scan = PyramidScan(
            n_input, hidden, "tob", "right", max(1, max_cells // hidden), bfloat16
        )

    def forward(self, words: Tensor, lengths: np.ndarray) -> Encoded:
        """Encode the phrases of sentences.

        Args:
            words: (P, n_input), sentences and their end symbols end to end.
            lengths: (B,) words and end symbol of each.

        Returns:
            Phrases as positions, those that start with the first word first.
        """
        if self.kind == "last":
            return Encoded(self.scan(words, lengths), lengths, None)
        return Encoded(self.scan.all_states(words, lengths), lengths * (lengths + 1) // 2, None)
