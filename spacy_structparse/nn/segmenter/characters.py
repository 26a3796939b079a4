"""Characters as a segmenter reads them: n-grams, kinds, cuts, and the known words around each.

Words and n-grams are told apart by 64-bit hashes, so that a million characters are read by a few
operations on arrays, and a saved segmenter holds no text.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

ORDER = 4
"""Length of the longest n-grams, in characters."""
LONGEST_WORD = 8
"""Length of the longest words that are looked up, in characters."""
KINDS = ("", "Z", "N", "Lu", "Ll", "Lo", "Lm", "Lt", "M", "P", "S", "C", "hiragana", "katakana")
"""Kinds of characters: Unicode's categories, letters in more detail, and two scripts."""
_MULTIPLIER, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
_SPACE = ord(" ")


class Characters(NamedTuple):
    """The features of the characters of a text.

    Attributes:
        n_grams: (n, ORDER) uint64 hashes of the n-grams that end with it, the shortest first.
        kinds: (n,) indices in `KINDS`.
        cuts: (n,) 1 where another tokenizer ends a token with it, else 0.
        words: (n, 3) lengths of the longest known words that begin with it, that end with it, and
            that it is in; 0 where there is none.
    """

    n_grams: Array
    kinds: Array
    cuts: Array
    words: Array


@dataclass(frozen=True)
class Words:
    """The known words.

    Attributes:
        hashes: (N,) uint64, sorted.
        counts: (N,) how often each was seen.
    """

    hashes: Array
    counts: Array

    @classmethod
    def of(cls, text: str, limits: Array) -> "Words":
        """Count the words of a text, but for those that are too long to be looked up.

        Args:
            text: The text.
            limits: (N, 2) where its words begin and end.
        """
        codes, lengths = _codes(text), limits[:, 1] - limits[:, 0]
        hashes = [
            _hashes(codes, length)[limits[lengths == length, 0]]
            for length in range(1, LONGEST_WORD + 1)
        ]
        return cls(*np.unique(np.concatenate(hashes), return_counts=True))

    def counts_of(self, hashes: Array) -> Array:
        """Return how often the words with some hashes were seen."""
        if not len(self.hashes):
            return np.zeros(hashes.shape, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[places] == hashes, self.counts[places], 0)


def read_characters(
    text: str, cuts: Sequence[int], words: Words, own: Array | None = None
) -> Characters:
    """Read the characters of a text.

    Args:
        text: The text, of at least one character.
        cuts: Where another tokenizer ends its tokens.
        words: The known words.
        own: In training (N, 2) the limits of the text's own words, each of which `words` has
            counted once: a word of a new text is not known from its own occurrence either.
    """
    codes = _codes(text)
    padded = np.concatenate([np.full(ORDER - 1, ord("\n"), dtype=np.uint64), codes])
    n_grams = [_hashes(padded[ORDER - length :], length) for length in range(1, ORDER + 1)]
    is_cut = np.zeros(len(codes) + 1, dtype=np.int64)
    is_cut[list(cuts)] = 1
    return Characters(
        np.stack(n_grams, axis=1), _kinds(codes), is_cut[1:], _words_around(codes, words, own)
    )


def _codes(text: str) -> Array:
    """The code points of a text; all whitespace but a line break is a space."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    distinct, where = np.unique(codes, return_inverse=True)
    is_space = np.array([chr(code).isspace() and code != ord("\n") for code in distinct.tolist()])
    return np.where(is_space, _SPACE, distinct)[where].astype(np.uint64)


def _kinds(codes: Array) -> Array:
    distinct, where = np.unique(codes, return_inverse=True)
    return np.array([_kind(chr(code)) for code in distinct.tolist()], dtype=np.int64)[where]


def _kind(character: str) -> int:
    name = unicodedata.category(character)
    if character.isspace():
        return KINDS.index("Z")
    if "\u3040" <= character <= "\u309f":
        return KINDS.index("hiragana")
    if "\u30a0" <= character <= "\u30ff":
        return KINDS.index("katakana")
    return KINDS.index(name if name in KINDS else name[0])


def _hashes(codes: Array, length: int) -> Array:
    """Hashes of the substrings of a length, by where they begin: (n - length + 1,)."""
    n = max(len(codes) - length + 1, 0)
    hashes = np.full(n, length, dtype=np.uint64)
    for offset in range(length):
        hashes = (hashes ^ codes[offset : offset + n]) * _MULTIPLIER
        hashes ^= hashes >> _SHIFT
    return hashes


def _words_around(codes: Array, words: Words, own: Array | None) -> Array:
    """Lengths of the longest known words at each character; see `Characters`."""
    around = np.zeros((len(codes), 3), dtype=np.int64)
    limits = np.zeros((0, 2), dtype=np.int64) if own is None else own
    for length in range(1, min(LONGEST_WORD, len(codes)) + 1):
        counts = words.counts_of(_hashes(codes, length))
        counts[limits[limits[:, 1] - limits[:, 0] == length, 0]] -= 1
        starts = np.flatnonzero(counts > 0)
        around[starts, 0] = length
        around[starts + length - 1, 1] = length
        for offset in range(length):
            around[starts + offset, 2] = length
    return around
