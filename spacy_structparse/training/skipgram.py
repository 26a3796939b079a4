"""Word vectors by the structured skip n-gram model (Ling et al. 2015, "Two/Too Simple Adaptations
of Word2Vec for Syntax Problems", §3.1), trained by negative sampling.

A skip-gram predicts the words around a word; in the structured one every relative position has an
output matrix of its own, so that the order of the words around it shapes a word's vector.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class SkipgramSettings:
    """Settings of a training; window, negative and epochs as in Dyer et al. 2015, §3.3.

    dim: width of the vectors. window: the most words to either side that are predicted.
    negative: wrong words a right one is compared with. min_count: rarer words get no vector.
    subsample: words of a greater share of the text are thinned out (word2vec's ``-sample``).
    learn_rate: at the start; it falls to 0 in a straight line. batch_size: words a step.
    """

    dim: int = 100
    window: int = 5
    negative: int = 10
    epochs: int = 5
    min_count: int = 2
    subsample: float = 1e-3
    learn_rate: float = 0.2
    batch_size: int = 128
    seed: int = 0


@dataclass(frozen=True)
class EncodedText:
    """words: the vocabulary, most frequent first; counts: (V,) of each; ids: (N,) the words of the
    text; sentences: (N,) the sentence that each belongs to."""

    words: list[str]
    counts: np.ndarray
    ids: np.ndarray
    sentences: np.ndarray


def train_structured_skipgram(
    text: Iterable[Sequence[str]],
    settings: SkipgramSettings,
    progress: Callable[[int], object] | None = None,
) -> tuple[list[str], np.ndarray]:
    """Train word vectors on sentences of words. The same seed gives the same vectors.

    progress: called with a number of text words when they have been learned from.
    Returns the words, most frequent first, and their vectors: (V, dim), float32.
    Raises ValueError where no word is frequent enough.
    """
    encoded = encode_text(text, settings.min_count)
    trainer = _Trainer(encoded, settings)
    n_total = len(encoded.ids) * settings.epochs
    n_done = 0
    for _ in range(settings.epochs):
        ids, sentences = trainer.thinned()
        n_batches = max(1, -(-len(ids) // settings.batch_size))
        share = len(encoded.ids) / n_batches
        for batch in range(n_batches):
            first = batch * settings.batch_size
            rate = settings.learn_rate * max(1e-4, 1 - (n_done + batch * share) / n_total)
            trainer.step(ids, sentences, first, rate)
            if progress is not None:
                progress(round((batch + 1) * share) - round(batch * share))
        n_done += len(encoded.ids)
    return encoded.words, trainer.inner.numpy()


def encode_text(text: Iterable[Sequence[str]], min_count: int) -> EncodedText:
    """Number the words of a text, without those seen less than min_count times."""
    sentences = [list(sentence) for sentence in text]
    counts = Counter(word for sentence in sentences for word in sentence)
    words = sorted((w for w, n in counts.items() if n >= min_count), key=lambda w: (-counts[w], w))
    if not words:
        raise ValueError(
            f"no word of the text is seen {min_count} times (min_count): give more text or a lower "
            "min_count"
        )
    index = {word: i for i, word in enumerate(words)}
    numbered = [[index[word] for word in sentence if word in index] for sentence in sentences]
    lengths = [len(sentence) for sentence in numbered]
    return EncodedText(
        words,
        np.array([counts[word] for word in words], dtype=np.int64),
        np.fromiter((i for sentence in numbered for i in sentence), np.int64, sum(lengths)),
        np.repeat(np.arange(len(numbered)), lengths),
    )


class _Trainer:
    """inner: (V, dim) the vectors; outer: (2 * window, V, dim) one output matrix per position."""

    def __init__(self, text: EncodedText, settings: SkipgramSettings) -> None:
        self.settings = settings
        self.random = torch.Generator().manual_seed(settings.seed)
        n, dim = len(text.words), settings.dim
        self.inner = (torch.rand(n, dim, generator=self.random) - 0.5) / dim
        self.outer = torch.zeros(2 * settings.window, n, dim)
        self.inner_squares = torch.zeros(n)
        self.outer_squares = torch.zeros(2 * settings.window, n)
        self.offsets = [d for d in range(-settings.window, settings.window + 1) if d]
        self.ids = torch.from_numpy(text.ids)
        self.sentences = torch.from_numpy(text.sentences)
        counts = torch.from_numpy(text.counts).double()
        noise = counts**0.75
        self.noise = torch.cumsum(noise / noise.sum(), 0)
        share = counts / (counts.sum() * settings.subsample) if settings.subsample else None
        # word2vec's rule: a word of share f is kept with probability sqrt(t / f) + t / f.
        self.keep = torch.ones(n) if share is None else (share**-0.5 + 1 / share).float()

    def thinned(self) -> tuple[Tensor, Tensor]:
        """The ids and sentences of the words that this epoch keeps."""
        stays = torch.rand(len(self.ids), generator=self.random) < self.keep[self.ids]
        return self.ids[stays], self.sentences[stays]

    def step(self, ids: Tensor, sentences: Tensor, first: int, rate: float) -> None:
        """One step of gradient descent for the words from ``first`` on.

        As in word2vec, a word predicts a random number of words up to the window, so that near
        ones count more. Wrong words are drawn once for all pairs of a batch at the same distance:
        more than ``negative`` of them, weighted to count as many.
        """
        window, negative = self.settings.window, self.settings.negative
        at = torch.arange(first, min(first + self.settings.batch_size, len(ids)))
        if not len(at):
            return
        reach = torch.randint(1, window + 1, (len(at),), generator=self.random)
        n_drawn = 4 * negative
        drawn = torch.rand(len(self.offsets), n_drawn, generator=self.random, dtype=torch.double)
        wrong_words = torch.searchsorted(self.noise, drawn).clamp_(max=len(self.noise) - 1)
        centre = self.inner[ids[at]]
        change = torch.zeros_like(centre)
        for position, offset in enumerate(self.offsets):
            there = at + offset
            inside = (there >= 0) & (there < len(ids)) & (reach >= abs(offset))
            there.clamp_(0, len(ids) - 1)
            rows = torch.nonzero(inside & (sentences[there] == sentences[at])).squeeze(1)
            if not len(rows):
                continue
            outer, hidden = self.outer[position], centre[rows]
            right, wrong = ids[there[rows]], wrong_words[position]
            right_vectors, wrong_vectors = outer[right], outer[wrong]
            # d log-likelihood / d score: 1 - p for a right word, -p for a wrong one.
            right_pull = torch.sigmoid(-(hidden * right_vectors).sum(1, keepdim=True))
            scores = torch.sigmoid(hidden @ wrong_vectors.T)
            scores.masked_fill_(right[:, None] == wrong[None], 0.0)
            wrong_pull = scores * (-negative / n_drawn)
            change.index_add_(0, rows, right_pull * right_vectors + wrong_pull @ wrong_vectors)
            pulls = torch.cat([right_pull * hidden, wrong_pull.T @ hidden])
            _climb(outer, self.outer_squares[position], torch.cat([right, wrong]), pulls, rate)
        _climb(self.inner, self.inner_squares, ids[at], change, rate)


def _climb(matrix: Tensor, squares: Tensor, rows: Tensor, gradient: Tensor, rate: float) -> None:
    """A step of AdaGrad with one step size per row, in place: frequent words, which a batch
    repeats, take shorter steps and rare ones longer, without which small texts teach little.

    matrix: (V, dim); squares: (V,) the mean squares of each row's gradients so far; rows: (R,),
    with repetitions; gradient: (R, dim).
    """
    unique, at = torch.unique(rows, return_inverse=True)
    total = gradient.new_zeros(len(unique), gradient.shape[1]).index_add_(0, at, gradient)
    size = squares[unique] + total.square().mean(1)
    squares[unique] = size
    matrix.index_add_(0, unique, total * (rate * (size + 1e-10).rsqrt())[:, None])
