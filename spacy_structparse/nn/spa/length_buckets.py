"""Buckets of sentences of about one length, for computations over all pairs of their words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

# The longest sentence of a bucket is at most SPREAD times as long as its shortest, and a bucket has
# at most MAX_PAIRS pairs of words (one sentence may have more).
SPREAD, MAX_PAIRS = 1.25, 500_000


@dataclass(frozen=True)
class LengthBucket:
    """Consecutive sentences of a batch, padded to the longest.

    Attributes:
        first: The index of the first sentence in the batch.
        words: (B, longest) the words of each sentence, numbered through the batch. Padding repeats
            the last word.
        is_word: (B, longest) bool; False at padding.
    """

    first: int
    words: np.ndarray
    is_word: np.ndarray

    @property
    def places(self) -> np.ndarray:
        """The places of the words in the padded bucket, row after row."""
        return np.flatnonzero(self.is_word)


def length_buckets(lengths: np.ndarray) -> Iterator[LengthBucket]:
    """Cut a batch into buckets.

    Args:
        lengths: (B,) words of each sentence, in descending order.
    """
    starts = np.cumsum(lengths) - lengths
    first = 0
    while first < len(lengths):
        longest = int(lengths[first])
        room = max(1, MAX_PAIRS // longest**2)
        similar = int(np.searchsorted(-lengths[first:], -longest / SPREAD, side="right"))
        last = first + max(1, min(room, similar))
        place = np.arange(longest)[None]
        n = lengths[first:last, None]
        words = starts[first:last, None] + np.minimum(place, n - 1)
        yield LengthBucket(first, words, place < n)
        first = last
