"""Dropout with one mask for all rows of a sentence (Gal & Ghahramani 2016).

Recurrent layers keep the same units for a whole sentence; drawing a mask per sentence instead of
per token is also what makes dropout cheap on a CPU.
"""

from torch import Tensor


class SentenceDropout:
    """Drops the same units in all rows of a sentence; every call draws new masks.

    rate: 0 leaves everything as it is. sentence: (N,) the sentence of each row, of n_sentences.
    """

    def __init__(self, rate: float, sentence: Tensor, n_sentences: int) -> None:
        self.rate = rate
        self.sentence = sentence
        self.n_sentences = n_sentences

    def __call__(self, x: Tensor, order: Tensor | None = None) -> Tensor:
        """x: (N, width), its rows in the sentences' order, or in the ``order`` given."""
        if self.rate <= 0:
            return x
        keep = 1 - self.rate
        mask = x.new_empty(self.n_sentences, x.shape[1]).bernoulli_(keep).div_(keep)
        rows = self.sentence if order is None else self.sentence.index_select(0, order)
        return x * mask.index_select(0, rows)
