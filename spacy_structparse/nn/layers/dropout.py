"""Dropout with one mask for all rows of a sentence (Gal & Ghahramani 2016).

Recurrent layers then see the same units in a whole sentence, and a mask for each sentence instead
of each token is cheap on a CPU.
"""

from torch import Tensor


class SentenceDropout:
    """Dropout of the same units in all rows of a sentence; every call draws new masks.

    Args:
        rate: The share of units that are dropped.
        sentence: (N,) the sentence of each row.
        n_sentences: The number of sentences.
    """

    def __init__(self, rate: float, sentence: Tensor, n_sentences: int) -> None:
        self.rate = rate
        self.sentence = sentence
        self.n_sentences = n_sentences

    def __call__(self, x: Tensor, order: Tensor | None = None) -> Tensor:
        """Drop units.

        Args:
            x: (N, width).
            order: (N,) the row of ``sentence`` that each row of x belongs to; its own by default.
        """
        if self.rate <= 0:
            return x
        keep = 1 - self.rate
        mask = x.new_empty(self.n_sentences, x.shape[1]).bernoulli_(keep).div_(keep)
        rows = self.sentence if order is None else self.sentence.index_select(0, order)
        return x * mask.index_select(0, rows)
