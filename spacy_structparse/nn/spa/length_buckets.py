"""Sentences of about one length side by side, for what is computed of all pairs of their words."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

# Sentences side by side are at most so much longer than the shortest of them, and have at most so
# many pairs together (one sentence may have more).
SPREAD, MAX_PAIRS = 1.25, 500_000


@dataclass(frozen=True)
class Side:
    """Sentences first, …, first + len(rows) - 1 of a batch.

    rows: (B, longest) the words of each among those of the batch, end to end; where a sentence is
    shorter, its last word again. real: (B, longest) whether it is the sentence's own.
    """

    first: int
    rows: np.ndarray
    real: np.ndarray


def side_by_side(lengths: np.ndarray) -> Iterator[Side]:
    """A batch in parts. lengths: (B,) words of each sentence, in descending order."""
    starts = np.cumsum(lengths) - lengths
    first = 0
    while first < len(lengths):
        longest = int(lengths[first])
        room = max(1, MAX_PAIRS // longest**2)
        similar = int(np.searchsorted(-lengths[first:], -longest / SPREAD, side="right"))
        last = first + max(1, min(room, similar))
        of = np.arange(longest)[None]
        n = lengths[first:last, None]
        yield Side(first, starts[first:last, None] + np.minimum(of, n - 1), of < n)
        first = last
