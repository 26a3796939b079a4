"""Sentence encoders: words in, one vector per position out.

A sentence of n words has n + 1 positions: its words and a symbol of the encoder's own. The symbol
is the end, last, so that every fencepost from 0 to n is a position, or ROOT, first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from ..fast.device import rows_of
from ..fast.sequences import Sequences
from .cnn import GatedCNN
from .lstm import LSTM, stacked_layers
from .recurrent import GRU, RecurrentLayer, StackedLayers
from .training import SentenceDropout


class BiLSTM(nn.Module):
    """Layers of LSTMs that read both ways; after the first each adds its input (He et al. 2016).

    Args:
        n_input: Width of the tokens.
        hidden: Width of one direction; the output is ``2 * hidden`` wide.
        depth: Number of layers.
    """

    def __init__(self, n_input: int, hidden: int, depth: int) -> None:
        super().__init__()
        self.hidden = hidden
        forwards, backwards = (
            [LSTM(2 * hidden if layer else n_input, hidden) for layer in range(depth)]
            for _ in range(2)
        )
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
        left, right = Sequences(lengths), Sequences(lengths, reverse=True)
        x, zeros = tokens, [tokens.new_zeros(self.hidden)] * 2
        for depth, (to_right, to_left) in enumerate(
            zip(self.forwards, self.backwards, strict=True)
        ):
            shown = drop(x) if drop is not None and (depth or drop_tokens) else x
            h = torch.cat([to_right.read(shown, zeros, left), to_left.read(shown, zeros, right)], 1)
            x = x + h if depth else h
        return x


Kind = Literal["lstm", "bigru", "bilstm", "cnn"]
BOTH_WAYS: dict[str, type[BiLSTM] | type[GatedCNN]] = {
    "bilstm": BiLSTM,
    "cnn": GatedCNN,
}
"""The layers of the kinds that read sentences end to end, with dropout of their own."""


@dataclass(frozen=True)
class Encoded:
    """B sentences read by an encoder, longest first.

    Attributes:
        positions: (P, width) the n + 1 positions of every sentence, sentence after sentence.
        lengths: (B,) positions of each.
        final: (B, state_size) the final state of a one-way encoder; None for the others.
        phrases: The phrases of the sentences, where a second encoder reads them.
    """

    positions: Tensor
    lengths: np.ndarray
    final: Tensor | None
    phrases: "Encoded | None" = None

    @property
    def starts(self) -> np.ndarray:
        """The first position of each sentence: (B,)."""
        return np.cumsum(self.lengths) - self.lengths


class Encoder(nn.Module):
    """Layers over sentences. A ``bilstm`` or ``cnn`` reads in the precision of the
    context; the others do not: GRUs in low precision read batches faster, and a single sentence
    much slower.

    The first state is zero. Of the LSTM of Vinyals et al. (2015, §2) h_0 is a parameter of each
    layer; of m_0 the paper says nothing, and it is zero. Nor does it say where h_0 begins in
    training: at zero.

    Args:
        kind: ``lstm``, one-way, as in Vinyals et al. (2015, §2); ``bigru``, both ways, as in Ma et
            al. (2017, §4.1); ``bilstm``, both ways, with each layer's input added to its output;
            or ``cnn``, gated convolutions (Dauphin et al. 2017).
        n_input: Width of the token vectors.
        hidden: Width of one direction; of a ``cnn``, which has none, half of its width.
        depth: Number of layers.
        cell: The kind of LSTM of an ``lstm``: ``torch`` or ``paper``.
        reverse: Whether an ``lstm`` reads from the end symbol to the first word.
        root_first: Whether the encoder's own symbol is ROOT, before the words, and not their end.

    Attributes:
        h_0: (depth, hidden) the first h of each layer, where it is a parameter; None elsewhere.
    """

    h_0: nn.Parameter | None

    def __init__(
        self,
        kind: Kind,
        n_input: int,
        hidden: int,
        depth: int,
        cell: str = "torch",
        reverse: bool = True,
        root_first: bool = False,
    ) -> None:
        super().__init__()
        self.reverse = reverse and kind == "lstm"
        self.root_first = root_first
        self.end = nn.Parameter(torch.randn(n_input))
        self.width = hidden if kind == "lstm" else 2 * hidden
        learned = kind == "lstm" and cell == "paper"
        self.register_parameter(
            "h_0", nn.Parameter(torch.zeros(depth, hidden)) if learned else None
        )
        self.rnn: StackedLayers | nn.ModuleList | BiLSTM | GatedCNN
        if kind == "lstm":
            self.rnn = stacked_layers(kind, cell, n_input, hidden, depth)
        elif kind == "bigru":
            self.rnn = nn.ModuleList(
                StackedLayers(GRU, 2 * hidden if layer else n_input, hidden, 1)
                for layer in range(depth)
                for _ in range(2)
            )
        else:
            self.rnn = BOTH_WAYS[kind](n_input, hidden, depth)

    def add_boundary(self, tokens: Tensor, n_words: np.ndarray) -> tuple[Tensor, np.ndarray]:
        """Return sentences with the encoder's own symbol, (P, n_input), and their lengths, (B,).

        Args:
            tokens: (N, n_input), sentences end to end.
            n_words: (B,) words of each.
        """
        # The symbol is the row after all words.
        ends = np.cumsum(n_words)
        places = ends - n_words if self.root_first else ends
        order = np.insert(np.arange(len(tokens)), places, len(tokens))
        return rows_of(torch.cat([tokens, self.end[None]]), order), n_words + 1

    def forward(
        self, tokens: Tensor, n_words: np.ndarray, rate: float = 0.0, drop_tokens: bool = True
    ) -> Encoded:
        """Read sentences.

        Args:
            tokens: (N, n_input), sentences end to end, longest first.
            n_words: (B,) words of each.
            rate: Dropout between the layers.
            drop_tokens: Whether a ``bilstm`` or ``cnn`` has dropout on its tokens too.
        """
        inputs, lengths = self.add_boundary(tokens, n_words)
        if isinstance(self.rnn, BiLSTM | GatedCNN):
            drop = SentenceDropout(rate, lengths) if rate else None
            return Encoded(self.rnn(inputs, lengths, drop, drop_tokens), lengths, None)
        if isinstance(self.rnn, StackedLayers):
            by_step = Sequences(lengths, self.reverse).by_step(tokens)
            state = inputs.new_zeros(len(lengths), self.rnn.state_size)
            if self.h_0 is not None:
                of_layers = torch.stack([self.h_0, torch.zeros_like(self.h_0)], 1)
                state = of_layers.flatten().repeat(len(lengths), 1)
            ordered = inputs.index_select(0, by_step.order)
            outputs, final = self.rnn.read(ordered, by_step.sizes, state, rate)
            return Encoded(outputs.index_select(0, by_step.inverse), lengths, final)
        both_ways = Sequences(lengths), Sequences(lengths, reverse=True)
        cells: list[RecurrentLayer] = [stack.layers[0] for stack in self.rnn]  # type: ignore[union-attr,index,misc]
        for depth in range(0, len(cells), 2):
            x = dropout(inputs, rate) if depth and rate else inputs
            zeros = x.new_zeros(cells[depth].hidden)
            pairs = zip(cells[depth : depth + 2], both_ways, strict=True)
            inputs = torch.cat([cell.read(x, [zeros], way) for cell, way in pairs], 1)
        return Encoded(inputs, lengths, None)


class TextEncoder(nn.Module):
    """Token vectors that know their text.

    Args:
        n_input: Width of the tokens.
        width: Width of the output, an even number.
        depth: Number of layers.
        kind: The layers, ``bilstm`` or ``cnn``.

    Attributes:
        dropout: Rate of the dropout on the input of every layer, in training.
    """

    def __init__(
        self,
        n_input: int,
        width: int,
        depth: int,
        kind: Literal["bilstm", "cnn"] = "bilstm",
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.width = width
        self.rnn = BOTH_WAYS[kind](n_input, width // 2, depth)

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
        drop = SentenceDropout(rate, lengths) if rate else None
        return self.rnn(tokens, lengths, drop)
