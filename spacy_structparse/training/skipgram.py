"""Word vectors by the structured skip n-gram model (Ling et al. 2015, "Two/Too Simple Adaptations
of Word2Vec for Syntax Problems", §3.1), trained by negative sampling.

A skip-gram predicts the words around a word; in the structured one every relative position has an
output matrix of its own, so that the order of the words around it shapes a word's vector.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding, logsigmoid

NOWHERE = -1
"""Stands between sentences, and before the first and after the last."""


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
    words, counts, ids = encode_text(text, settings.min_count, settings.window)
    random = torch.Generator().manual_seed(settings.seed)
    inner = (torch.rand(len(words), settings.dim, generator=random) - 0.5) / settings.dim
    outer = torch.zeros(2 * settings.window * len(words), settings.dim)
    matrices = [(inner.requires_grad_(), torch.zeros(len(inner)))]
    matrices.append((outer.requires_grad_(), torch.zeros(len(outer))))
    noise = torch.cumsum(counts**0.75 / (counts**0.75).sum(), 0)
    # word2vec's rule: a word of share f is kept with probability sqrt(t / f) + t / f.
    excess = counts / (counts.sum() * settings.subsample) if settings.subsample else None
    kept_share = torch.ones(len(words)) if excess is None else excess**-0.5 + 1 / excess
    n_words = int(counts.sum())
    for epoch in range(settings.epochs):
        stays = torch.rand(len(ids), generator=random) < kept_share[ids]
        thinned = ids[stays | (ids == NOWHERE)]
        batches = torch.nonzero(thinned != NOWHERE).squeeze(1).split(settings.batch_size)
        for number, places in enumerate(batches):
            done = number / len(batches)
            loss = _loss(inner, outer, thinned, places, noise, settings, random)
            gradients = torch.autograd.grad(loss, (inner, outer))
            rate = settings.learn_rate * max(1e-4, 1 - (epoch + done) / settings.epochs)
            for (matrix, squares), gradient in zip(matrices, gradients, strict=True):
                _descend(matrix.detach(), squares, gradient.coalesce(), rate)
            if progress is not None:
                after = (number + 1) / len(batches)
                progress(round(n_words * after) - round(n_words * done))
    return words, inner.detach().numpy()


def encode_text(
    text: Iterable[Sequence[str]], min_count: int, window: int
) -> tuple[list[str], Tensor, Tensor]:
    """Number the words of a text, without those seen less than min_count times.

    Returns the words, most frequent first; (V,) their counts; and (N,) the text as their numbers,
    with ``window`` times NOWHERE around sentences, so that no word is near one of another sentence.
    """
    sentences = [list(sentence) for sentence in text]
    counts = Counter(chain.from_iterable(sentences))
    words = sorted((w for w, n in counts.items() if n >= min_count), key=lambda w: (-counts[w], w))
    if not words:
        raise ValueError(
            f"no word of the text is seen {min_count} times (min_count): give more text or a lower "
            "min_count"
        )
    index = {word: i for i, word in enumerate(words)}
    ids = [NOWHERE] * window
    for sentence in sentences:
        ids += (index[word] for word in sentence if word in index)
        ids += [NOWHERE] * window
    return words, torch.tensor([counts[word] for word in words]).double(), torch.tensor(ids)


def _loss(
    inner: Tensor,
    outer: Tensor,
    ids: Tensor,
    places: Tensor,
    noise: Tensor,
    settings: SkipgramSettings,
    random: torch.Generator,
) -> Tensor:
    """The negative log-likelihood of the words around some places.

    As in word2vec, a word predicts a random number of words up to the window, so that near ones
    count more. Wrong words are drawn once for all pairs of a batch at the same distance: more than
    ``negative`` of them, weighted to count as many.

    Args:
        inner: (V, dim) the vectors.
        outer: (2 * window * V, dim) one output matrix after the other, one for each position.
        ids: (N,) the text.
        places: (B,) the places in it.
        noise: (V,) the probability that a wrong word is this one or one before it.
        settings: Those of the training.
        random: Its random numbers.
    """
    window, n_drawn = settings.window, 4 * settings.negative
    offsets = torch.tensor([d for d in range(-window, window + 1) if d])
    near = ids[places[:, None] + offsets]  # (B, P)
    reach = torch.randint(1, window + 1, (len(places), 1), generator=random)
    drawn = torch.rand(len(offsets), n_drawn, generator=random, dtype=torch.double)
    wrong = torch.searchsorted(noise, drawn).clamp_(max=len(noise) - 1)  # (P, K)
    is_pair = (near != NOWHERE) & (offsets.abs() <= reach)
    is_wrong = is_pair[:, :, None] & (near[:, :, None] != wrong)
    matrix_of = len(inner) * torch.arange(len(offsets))
    vectors = embedding(ids[places], inner, sparse=True)
    right_vectors = embedding(matrix_of + near.clamp(min=0), outer, sparse=True)
    wrong_vectors = embedding(matrix_of[:, None] + wrong, outer, sparse=True)
    right_scores = torch.einsum("bd,bpd->bp", vectors, right_vectors)
    wrong_scores = torch.einsum("bd,pkd->bpk", vectors, wrong_vectors)
    right_loss = -(logsigmoid(right_scores) * is_pair).sum()
    return right_loss - settings.negative / n_drawn * (logsigmoid(-wrong_scores) * is_wrong).sum()


def _descend(matrix: Tensor, squares: Tensor, gradient: Tensor, rate: float) -> None:
    """Take a step of AdaGrad with one step size for each row, in place: frequent words, which a
    batch repeats, take shorter steps and rare ones longer, without which small texts teach little.

    matrix: (V, dim); squares: (V,) the mean squares of each row's gradients so far; gradient:
    sparse, (V, dim).
    """
    [rows], values = gradient.indices(), gradient.values()
    squares[rows] += values.square().mean(1)
    matrix[rows] -= rate * (squares[rows] + 1e-10).rsqrt()[:, None] * values
