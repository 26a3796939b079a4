"""The spelling of words outside a vocabulary, for the surprisal of a language model."""

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Collection

START, END = "\x02", ""
N_SYMBOLS = sys.maxunicode + 2  # every character, and the end of a word


class Spelling:
    """A distribution over all strings that are outside a vocabulary.

    N-grams of characters with interpolated Witten-Bell smoothing (Witten and Bell 1991), counted
    over the words of the vocabulary, each of them once. The share of these words themselves is
    divided among all other strings.

    Args:
        words: The vocabulary.
        order: Length of the longest n-grams, at least 1.
    """

    def __init__(self, words: Collection[str], order: int) -> None:
        self.order = order
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for word in words:
            for before, character in self._steps(word):
                for start in range(len(before) + 1):
                    counts[before[start:]][character] += 1
        self.counts = {before: (of_next, of_next.total()) for before, of_next in counts.items()}
        self.outside = 1 - math.fsum(2 ** -self._bits(word) for word in words)

    def bits(self, word: str) -> float:
        """-log2 of the probability of a word outside the vocabulary."""
        return self._bits(word) + math.log2(self.outside)

    def _bits(self, word: str) -> float:
        return -math.fsum(math.log2(self._probability(*step)) for step in self._steps(word))

    def _steps(self, word: str) -> list[tuple[str, str]]:
        """Each character and the end, with the characters before it that are read."""
        marked = START + word
        return [
            (marked[max(i - self.order + 1, 0) : i], character)
            for i, character in enumerate((*word, END), start=1)
        ]

    def _probability(self, before: str, character: str) -> float:
        p = 1 / N_SYMBOLS
        for start in range(len(before), -1, -1):
            if before[start:] not in self.counts:
                break  # nor are longer ones
            of_next, n = self.counts[before[start:]]
            p = (of_next[character] + len(of_next) * p) / (n + len(of_next))
        return p
