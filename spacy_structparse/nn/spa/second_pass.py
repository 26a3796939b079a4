"""SCAN and RESCAN, the two passes over a sentence ("RNN-Based Sequence-Preserved Attention for
Dependency Parsing").

The second pass adds a context to each position. It is an attention over the sentence, or the final
states of two GRUs that read the two sides of the position.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..fast.device import recomputed, rows_together
from ..fast.linear import linear
from ..layers.attention import AdditiveAttention
from ..layers.encoder import Encoder
from ..layers.pyramid_scan import PyramidScan


class VanillaAttention(AdditiveAttention):
    """m_i = sum over j of a_ij h_j, a_i = softmax over j of v tanh(W_1 h_i + W_2 h_j).

    Eqs. 12 to 14, with one hidden layer in the perceptron of Eq. 12.

    Args:
        n_input: Width of a position.
        hidden: Width of the perceptron.
    """

    def __init__(self, n_input: int, hidden: int) -> None:
        super().__init__(n_input, n_input, hidden)

    def forward(self, positions: Tensor, lengths: np.ndarray) -> Tensor:
        """Compute the context of every position.

        Args:
            positions: (P, n_input) h, sentences end to end.
            lengths: (B,) positions of each sentence.

        Returns:
            (P, n_input) m.
        """
        queries = linear(positions, self.of_query, self.bias) * 2
        keys = linear(positions, self.of_position) * 2
        contexts = []
        for start, end, first, last in self._parts(lengths):
            args = (queries[first:last], keys[start:end], positions[start:end])
            if torch.is_grad_enabled() and rows_together(self.hidden) < int((lengths**2).sum()):
                contexts.append(recomputed(self._attend, *args))
            else:
                contexts.append(self._attend(*args))
        return torch.cat(contexts) if contexts else positions

    def _parts(self, lengths: np.ndarray) -> Iterator[tuple[int, int, int, int]]:
        """Yield the start and end of each sentence with as many of its positions as fit into
        memory: the first of them, and the one after the last."""
        start = 0
        for n in lengths.tolist():
            step = max(1, rows_together(self.hidden) // n)
            for first in range(start, start + n, step):
                yield start, start + n, first, min(first + step, start + n)
            start += n

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return self.scores(keys, queries[:, None], self.v * 2).softmax(1) @ values


class TwoPassEncoder(nn.Module):
    """An encoder of ROOT and the words of sentences: SCAN, then RESCAN, a context for each position
    beside the position itself: by attention (``vanilla``), or by the GRUs of both sides.

    Args:
        n_input: Width of the token vectors. The other arguments are settings of
            ``spacy-structparse.SPA.v1``.
    """

    def __init__(
        self,
        n_input: int,
        *,
        encoder: Literal["bilstm", "bigru", "cnn"],
        encoder_width: int,
        encoder_depth: int,
        attention: Literal["none", "vanilla", "tob", "bot"],
        attention_width: int,
        dropout_places: Literal["everywhere", "tokens"] = "everywhere",
    ) -> None:
        super().__init__()
        self.everywhere = dropout_places == "everywhere"
        # The others drop their tokens themselves, the same units in a whole sentence.
        self.drops_tokens = not self.everywhere or encoder == "bigru"
        self.encoder = Encoder(encoder, n_input, encoder_width, encoder_depth, root_first=True)
        n = self.encoder.width
        self.rescan = nn.ModuleDict()  # by the names that saved weights have
        if attention == "vanilla":
            self.rescan["attention"] = VanillaAttention(n, attention_width)
        elif attention != "none":
            self.rescan["sides"] = nn.ModuleList(
                PyramidScan(n, attention_width, attention, side) for side in ("left", "right")
            )
        self.width = n + {"none": 0, "vanilla": n}.get(attention, 2 * attention_width)

    def forward(self, tokens: Tensor, n_words: np.ndarray, rate: float = 0.0) -> Tensor:
        """Encode ROOT and the words of every sentence (Eq. 27).

        Args:
            tokens: (N, n_input) sentences end to end, longest first.
            n_words: (B,) words of each sentence.
            rate: Dropout.

        Returns:
            (N + B, width) r.
        """
        if rate and self.drops_tokens:
            tokens = dropout(tokens, rate)
        encoded = self.encoder(tokens, n_words, self.hidden_dropout(rate))
        passes = [encoded.positions]
        if "attention" in self.rescan:
            passes.append(self.rescan["attention"](encoded.positions, encoded.lengths))
        elif "sides" in self.rescan:
            for side in self.rescan["sides"]:  # type: ignore[attr-defined]
                passes.append(side(encoded.positions, encoded.lengths))
        return torch.cat(passes, 1)

    def hidden_dropout(self, rate: float) -> float:
        """The rate of dropout in hidden layers."""
        return rate if self.everywhere else 0.0
