"""Trees and labels of a graph-based parser that keep what is known of them.

The scores of arcs that contradict it become -inf, and so do those of labels.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.known_arcs import ArcQuery, KnownArcs
from ...transitions.dependency.spanning_tree import constrained_spanning_tree, finite
from ..kernels.device import uploaded
from .label_scorer import LabelScorer
from .length_buckets import LengthBucket


def of_bucket(query: ArcQuery, bucket: LengthBucket) -> dict[int, KnownArcs]:
    """What is known of the sentences of a bucket, by their places in it."""
    if query.known is None:
        return {}
    known = query.known[bucket.first : bucket.first + len(bucket.words)]
    return {place: one for place, one in enumerate(known) if one is not None}


def mask_arcs(
    scorer: LabelScorer,
    contextual: Tensor,
    query: ArcQuery,
    bucket: LengthBucket,
    scores: Tensor,
) -> Tensor:
    """Set the scores of arcs that contradict what is known to -inf.

    Where the label of a word is known and its head is not, an arc's score also counts the log
    probability of the label.

    Args:
        scorer: The parser's scorer of labels.
        contextual: (N + B, width) r.
        query: The sentences, and what is known of them.
        bucket: Some of them.
        scores: (B', n, n) of their arcs.

    Returns:
        The masked scores; the given ones where nothing is known.
    """
    of_sentences = of_bucket(query, bucket)
    if not of_sentences:
        return scores
    firsts = np.cumsum(query.n_words) - query.n_words + np.arange(len(query.n_words)) + 1
    scores = scores.clone()
    _weigh_labels(scorer, contextual, of_sentences, firsts[bucket.first :], scores)
    for place, known in of_sentences.items():
        n = len(known.heads)
        allowed = uploaded(known.allowed_heads(), scores.device)
        scores[place, :n, :n].masked_fill_(~allowed, -torch.inf)
    return scores


def _weigh_labels(
    scorer: LabelScorer,
    contextual: Tensor,
    of_sentences: Mapping[int, KnownArcs],
    first_rows: np.ndarray,
    scores: Tensor,
) -> None:
    """Add the log probability of known labels to the scores of arcs, in place.

    Args:
        scorer: The parser's scorer of labels.
        contextual, scores: Of :func:`mask_arcs`.
        of_sentences: What is known of sentences of the bucket, by their places in it.
        first_rows: (B',) or more; the row of r of the first word of each of its sentences.
    """
    places, words, heads, firsts, labels = [], [], [], [], []
    for i, known in of_sentences.items():
        n = len(known.heads)
        of_label = np.flatnonzero((known.heads < 0) & ~known.labels.all(1))
        words.append(np.repeat(of_label, n))
        heads.append(np.tile(np.arange(n), len(of_label)))
        places.append(np.full(len(words[-1]), i))
        firsts.append(np.full(len(words[-1]), first_rows[i]))
        labels.append(known.labels[words[-1]])
    place, word, head, first = (
        uploaded(np.concatenate(one), scores.device) for one in (places, words, heads, firsts)
    )
    if len(place):
        log_p = scorer(contextual, first + word, first + head).log_softmax(1)
        others = uploaded(~np.concatenate(labels), scores.device)
        log_p = log_p.masked_fill_(others, -torch.inf).logsumexp(1)
        scores[place, word, head] += log_p.to(scores.dtype)


def best_constrained_tree(
    scores: np.ndarray, known: KnownArcs, single_root: bool
) -> np.ndarray | None:
    """Find the best tree of the arcs whose scores are not -inf.

    Of two words that can only have one label, of which a head has at most one dependent, at most
    one has a given head. Where they compete for it, the one with the higher score gets it.

    Args:
        scores: (n, n) scores of heads.
        known: What is known.
        single_root: Exactly one word is the root.

    Returns:
        (n,) heads; None if there is no such tree.
    """
    allowed = scores > -np.inf
    scores = finite(scores)
    bound = known.bound_words()
    while True:
        heads = constrained_spanning_tree(scores, allowed, single_root)
        if heads is None:
            return None
        owner: dict[tuple[int, int], int] = {}
        for word, label in sorted(bound, key=lambda pair: -scores[pair[0], heads[pair[0]]]):
            if owner.setdefault((int(heads[word]), label), word) != word:
                allowed[word, heads[word]] = False
                break
        else:
            return heads


def mask_labels(scores: Tensor, heads: Tensor, query: ArcQuery) -> Tensor:
    """Set the scores of labels that contradict what is known to -inf.

    Args:
        scores: (N, n_labels) of the labels of the arcs of all words.
        heads: (N,) heads within each sentence.
        query: The sentences, and what is known of them.

    Returns:
        The masked scores; the given ones where nothing is known.
    """
    if query.known is None:
        return scores
    masked = scores.clone()
    for start, known in _constrained(query):
        rows = slice(start, start + len(known.heads))
        own = masked[rows].cpu().numpy()
        own = allowed_labels(own, heads[rows].cpu().numpy(), known)
        masked[rows] = uploaded(own, masked.device)
    return masked


def allowed_labels(scores: np.ndarray, heads: np.ndarray, known: KnownArcs) -> np.ndarray:
    """Set the scores of labels of a sentence that contradict what is known to -inf.

    A label that a head has once goes to the dependent that would lose most with another one.

    Args:
        scores: (n, n_labels) of the labels of the arcs of all words.
        heads: (n,) heads, the root its own.
        known: What is known.

    Returns:
        (n, n_labels).
    """
    scores = np.where(known.labels, scores, -np.inf)
    words = np.arange(len(heads))
    contested = bool(known.unique.any())
    while contested:
        contested = False
        best = scores.argmax(1)
        without = scores.copy()
        without[words, best] = -np.inf
        loss = scores[words, best] - without.max(1)  # infinite where there is no other label
        taken: dict[tuple[int, int], int] = {}
        for word in sorted(words.tolist(), key=lambda w: -loss[w]):
            if heads[word] == word or not known.unique[best[word]]:
                continue
            owner = taken.setdefault((int(heads[word]), int(best[word])), word)
            if owner != word and np.isfinite(loss[word]):
                scores[word, best[word]] = -np.inf
                contested = True
    return scores


def _constrained(query: ArcQuery) -> Iterator[tuple[int, KnownArcs]]:
    """The first word, among all of the batch, of each sentence of which something is known."""
    starts = np.cumsum(query.n_words) - query.n_words
    for start, known in zip(starts.tolist(), query.known or (), strict=True):
        if known is not None:
            yield start, known
