"""Score what ends with each character of a text: a token, a multiword token, a sentence."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from .characters import KINDS, LONGEST_WORD, Characters

INSIDE, TOKEN, SENTENCE, MULTIWORD, MULTIWORD_SENTENCE = range(5)
"""What ends with a character: nothing, a token, or one that ends its sentence, or is a multiword
token, or both."""
N_LABELS = 5
DILATIONS = (1, 2, 4, 1)
REACH = sum(DILATIONS)
"""How many characters on either side a score depends on."""
FEATURE_WIDTH = 16
SHOWN = 0.8
"""Probability that an n-gram is not dropped, in training."""
PIECE = 10_000
"""Characters that are scored at a time: memory does not grow with the length of a text."""


class Segmenter(nn.Module):
    """Gated convolutions (Dauphin et al. 2017) over characters, dilated, with residual connections.

    Args:
        rows: Rows of the table of n-grams, which their hashes share.
        width: Width of the embeddings and of all layers.
        dropout: Probability that a number is dropped, in training.
        hide: Probability that the n-grams of a character are dropped, in training: a segmenter
            has to do without in new texts, which have new ones. Single ones are dropped, too.
    """

    def __init__(self, rows: int, width: int, dropout: float = 0.3, hide: float = 0.1) -> None:
        super().__init__()
        self.rows, self.hide = rows, hide
        self.n_grams = nn.Embedding(rows, width)
        self.kinds = nn.Embedding(len(KINDS), FEATURE_WIDTH)
        self.cuts = nn.Embedding(2, FEATURE_WIDTH)
        self.words = nn.ModuleList(nn.Embedding(LONGEST_WORD + 1, FEATURE_WIDTH) for _ in range(3))
        self.inputs = nn.Linear(width + 5 * FEATURE_WIDTH, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in DILATIONS)
        self.layers = nn.ModuleList(
            nn.Conv1d(width, 2 * width, 3, padding=dilation, dilation=dilation)
            for dilation in DILATIONS
        )
        self.output = nn.Linear(width, N_LABELS)
        self.dropout = nn.Dropout(dropout)
        nn.init.normal_(self.n_grams.weight, std=0.3)

    def forward(self, n_grams: Tensor, kinds: Tensor, cuts: Tensor, words: Tensor) -> Tensor:
        """Return (B, n, N_LABELS) scores of what ends with each character.

        Args:
            n_grams: (B, n, ORDER) rows of the table.
            kinds: (B, n) kinds of characters.
            cuts: (B, n) 1 where another tokenizer ends a token.
            words: (B, n, 3) lengths of the known words around them.
        """
        embedded = self.n_grams(n_grams)
        if self.training:
            is_shown = torch.rand_like(embedded[..., :1]) < SHOWN
            is_shown &= torch.rand_like(embedded[..., :1, :1]) >= self.hide
            embedded = embedded * is_shown
        parts = [embedded.sum(-2), self.kinds(kinds), self.cuts(cuts)]
        parts += [embed(words[..., i]) for i, embed in enumerate(self.words)]
        x = self.inputs(self.dropout(torch.cat(parts, -1)))
        for norm, layer in zip(self.norms, self.layers, strict=True):
            gated = layer(self.dropout(norm(x)).transpose(1, 2))
            x = x + functional.glu(gated, dim=1).transpose(1, 2)
        scores: Tensor = self.output(self.dropout(x))
        return scores

    def inputs_of(self, characters: Characters) -> list[Tensor]:
        """Return what `forward` reads of the characters of a text, without the batch axis."""
        rows = (characters.n_grams % np.uint64(self.rows)).astype(np.int64)
        return [torch.from_numpy(part) for part in (rows, *characters[1:])]

    @torch.no_grad()
    def predict(self, characters: Characters) -> Tensor:
        """Return (n, N_LABELS) scores for a text, the same however it is cut into pieces."""
        inputs = self.inputs_of(characters)
        pieces = []
        for start in range(0, len(characters.kinds), PIECE):
            first = max(start - REACH, 0)
            window = [part[None, first : start + PIECE + REACH] for part in inputs]
            pieces.append(self(*window)[0, start - first :][:PIECE])
        return torch.cat(pieces)
