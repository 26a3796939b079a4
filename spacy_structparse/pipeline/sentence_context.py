"""Sentences that are read with the sentences before them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .sentences import Sentence


@dataclass(frozen=True)
class SentenceInContext(Sentence):
    """A sentence after those that are read as its context.

    Attributes:
        tokens: The tokens of the context and of the sentence itself.
        starts: Where sentences start in ``tokens``, the first one, at 0, left out. The last is the
            start of the sentence itself.
    """

    starts: list[int] = field(default_factory=list)

    @property
    def own(self) -> np.ndarray:
        """(n,) the tokens of the sentence itself."""
        return self.tokens[self.starts[-1] if self.starts else 0 :]

    @property
    def length(self) -> int:
        """The number of positions that a model reads: words, and restarts between sentences."""
        return len(self.tokens) + len(self.starts)

    @property
    def restarts(self) -> np.ndarray:
        """(length,) bool: the positions that are no words but stand before a sentence."""
        return np.insert(np.zeros(len(self.tokens), dtype=bool), self.starts, True)


def in_context(sentences: Sequence[Sentence], n: int) -> list[SentenceInContext]:
    """Put before each sentence up to ``n`` sentences of its Doc that precede it.

    Args:
        sentences: The sentences of Docs, in order.
        n: The number of sentences of a context.
    """
    found = []
    for i, sentence in enumerate(sentences):
        before = [s for s in sentences[max(i - n, 0) : i] if s.doc == sentence.doc]
        parts = [s.tokens for s in (*before, sentence)]
        starts = np.cumsum([len(part) for part in parts[:-1]], dtype=np.int64).tolist()
        found.append(
            SentenceInContext(
                np.concatenate(parts), sentence.offset, sentence.doc, sentence.part_of, starts
            )
        )
    return found
