"""Token embeddings: learned words, fixed vectors, tags and hashed features, through one map.

The paper's x = max(0, V [w; w_LM; t] + b) (Dyer et al. 2015, §3.3); hashed features (affixes,
shapes, norms, as in spaCy's ``MultiHashEmbed``) are further blocks of the concatenation, so that
unseen words are told apart without vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, embedding

from ..fast.linear import linear
from ..fast.weight_cache import cached
from .training import glorot_layers_, glorot_uniform_


class CharacterConvolution(nn.Module):
    """The maximum, over a word, of a convolution over three characters at a time.

    Args:
        n_characters: Rows of the table of characters; row 0 is that of unknown ones.
        width: Width of a character's embedding, and of the result.
    """

    def __init__(self, n_characters: int, width: int) -> None:
        super().__init__()
        # The last row stands before the first character of a word and after its last one.
        self.table = nn.Parameter(torch.empty(n_characters + 1, width))
        self.weight = nn.Parameter(torch.empty(3, width, width))
        self.bias = nn.Parameter(torch.zeros(width))
        bound = (3.0 / width) ** 0.5
        nn.init.uniform_(self.table, -bound, bound)
        for part in self.weight:
            glorot_uniform_(part)

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Embed words: (U, width).

        Args:
            characters: (C,) rows of the table, the words end to end.
            lengths: (U,) characters of each word, at least 1.
        """
        n = len(self.table)
        ends = lengths.cumsum(0)
        before, after = characters.roll(1), characters.roll(-1)
        before[ends - lengths] = after[ends - 1] = n - 1
        # A character brings the same to every window: there are far fewer of them than windows.
        brought = cached(
            "brought",
            [self.table, self.weight],
            lambda: (self.table @ self.weight).reshape(3 * n, -1),
        )
        windows = embedding(before, brought) + embedding(characters + n, brought)
        windows = windows + embedding(after + 2 * n, brought) + self.bias
        # Unsafe: a check of the lengths would have the host wait for a GPU.
        return torch.segment_reduce(windows, "max", lengths=lengths, axis=0, unsafe=True)


DropoutOf = Literal["units", "parts", "none"]


@dataclass(frozen=True)
class Spelled:
    """The characters of tokens, those of equal words once.

    Attributes:
        rows: (C,) rows of the table of characters, words end to end.
        lengths: (U,) characters of each word, at least 1.
        word: (N,) the word of each token.
    """

    rows: Tensor
    lengths: Tensor
    word: Tensor


class TokenEmbedding(nn.Module):
    """The embeddings of a token, concatenated and mapped to one width.

    ``dropout`` is set by training: on the part of the concatenation that ``dropout_of`` names.

    Args:
        n_words: Rows of the word table. Row 0 is the unknown word.
        n_tags: Rows of the tag table.
        tag_width: Width of a tag. 0: no tags.
        vector_width: Width of the vectors that are given with the call. 0: none.
        n_vectors: Rows of a tuned copy of the vectors. 0: they are given with the call.
        n_characters: Rows of the table of characters.
        dropout_of: ``dropout`` of ``spacy-structparse.TokenEmbedding.v1``. The other arguments are
            its settings of the same name.
    """

    def __init__(
        self,
        width: int,
        n_words: int,
        word_width: int,
        n_tags: int,
        tag_width: int,
        vector_width: int,
        n_vectors: int,
        feature_rows: Sequence[int],
        feature_width: int,
        n_characters: int = 0,
        char_width: int = 0,
        relu: bool = True,
        dropout_of: DropoutOf = "units",
        unit_variance: bool = False,
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.dropout_of = dropout_of
        self.words = nn.Embedding(n_words, word_width) if word_width else None
        self.tags = nn.Embedding(n_tags, tag_width) if tag_width else None
        self.vectors = nn.Embedding(n_vectors, vector_width) if n_vectors else None
        # The tables of all features end to end: one lookup serves them all.
        self.feature_width = feature_width
        self.features = nn.Parameter(torch.empty(sum(feature_rows), feature_width))
        self.characters = CharacterConvolution(n_characters, char_width) if char_width else None
        n_concatenated = word_width + tag_width + vector_width + char_width
        n_concatenated += len(feature_rows) * feature_width
        self.width = width or n_concatenated
        self.project = nn.Linear(n_concatenated, width) if width else None
        self.relu = relu
        bound = (6.0 / (feature_width + 1)) ** 0.5 if feature_width else 0.0
        nn.init.uniform_(self.features, -bound, bound)
        for table in (self.words, self.tags):
            if table is not None:
                bound = 3.0**0.5 if unit_variance else (6.0 / (table.embedding_dim + 1)) ** 0.5
                nn.init.uniform_(table.weight, -bound, bound)
        glorot_layers_(self.project)

    def forward(
        self,
        words: Tensor,
        tags: Tensor,
        features: Tensor,
        vectors: Tensor | None = None,
        characters: Spelled | None = None,
    ) -> Tensor:
        """Embed N tokens: (N, width).

        Args:
            words: (N,) rows of the word table.
            tags: (N,) rows of the tag table.
            features: (N, 2 * n_features) rows, two for each feature, which are summed.
            vectors: (N, vector_width), or (N,) rows of the tuned copy.
            characters: The tokens' characters.
        """
        parts: list[Tensor] = []
        if self.words is not None:
            parts.append(self.words(words))
        if vectors is not None:
            parts.append(self.vectors(vectors) if self.vectors is not None else vectors)
        if self.tags is not None:
            parts.append(self.tags(tags))
        if features.shape[1]:
            n, n_hashes = features.shape
            width = self.features.shape[1]
            rows = embedding(features, self.features).view(n, n_hashes // 2, 2, width)
            parts += rows.sum(2).unbind(1)
        if self.characters is not None and characters is not None:
            by_word = self.characters(characters.rows, characters.lengths)
            parts.append(by_word.index_select(0, characters.word))
        rate = self.dropout if self.training else 0.0
        if rate and self.dropout_of == "parts":
            parts = drop_parts(parts, rate)
        x = torch.cat(parts, 1)
        if rate and self.dropout_of == "units":
            x = dropout(x, rate)
        if self.project is None:
            return x
        x = linear(x, self.project.weight, self.project.bias)
        return x.relu() if self.relu else x


def drop_parts(parts: Sequence[Tensor], rate: float) -> list[Tensor]:
    """Drop whole parts of tokens, each by itself (Dozat & Manning 2017, §3.1).

    A token that keeps k of n parts has each of them n / k times as large.

    Args:
        parts: (N, width) each.
        rate: The probability of a drop.
    """
    stays = parts[0].new_empty(len(parts[0]), len(parts)).bernoulli_(1 - rate)
    scale = stays * (len(parts) / stays.sum(1, keepdim=True).clamp_min(1))
    return [part * scale[:, i : i + 1] for i, part in enumerate(parts)]
