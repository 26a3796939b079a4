"""Trees of highest score of a batch of sentences."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.known_arcs import ArcQuery, KnownArcs
from ...transitions.dependency.spanning_tree import (
    constrained_spanning_tree,
    finite,
    maximum_spanning_tree,
)
from ..fast.device import uploaded
from .batch import LengthBucket
from .scorers import LabelScorer


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


def mask_labels(scores: Tensor, query: ArcQuery) -> Tensor:
    """Set the scores of labels that contradict what is known to -inf.

    Args:
        scores: (N, n_labels) of the labels of the arcs of all words.
        query: The sentences, and what is known of them.

    Returns:
        The masked scores; the given ones where nothing is known.
    """
    if query.known is None:
        return scores
    masked = scores.clone()
    starts = np.cumsum(query.n_words) - query.n_words
    for start, known in zip(starts.tolist(), query.known, strict=True):
        if known is not None:
            others = uploaded(~known.labels, masked.device)
            masked[start : start + len(known.heads)].masked_fill_(others, -torch.inf)
    return masked


def best_trees(
    scores: Tensor,
    is_word: Tensor,
    single_root: bool,
    known: Mapping[int, KnownArcs] | None = None,
) -> Tensor:
    """Find the trees of highest score.

    The best head of each word is enough where these are a tree. Otherwise the maximum spanning
    tree of the sentence is found on the host.

    Args:
        scores: (B, n, n) scores of heads, those of roots on the diagonal; -inf at padding.
        is_word: (B, n) bool; False at padding.
        single_root: Exactly one word of a sentence is its root.
        known: What is known of some of the sentences. Scores of arcs that contradict it are -inf.

    Returns:
        (B, n) heads. Where no tree keeps what is known they are the best head of each word.
    """
    heads = scores.argmax(2)
    n = heads.shape[1]
    own = torch.arange(n, device=heads.device).expand_as(heads)
    heads = torch.where(is_word, heads, own)
    roots = (heads == own) & is_word
    n_roots = roots.sum(1)
    fine = (n_roots == 1) if single_root else (n_roots > 0)
    above = heads
    for _ in range(n.bit_length()):
        above = above.gather(1, above)
    fine &= (heads.gather(1, above) == above).all(1)
    fine &= scores.isfinite().any(2).logical_or(~is_word).all(1)
    fine &= ~scores.isnan().flatten(1).any(1)
    known = known or {}
    others = (~fine).nonzero()[:, 0]
    if not len(others):
        return heads
    # Copied together: the host waits for the device at every copy.
    on_host = scores.index_select(0, others).cpu().numpy()
    n_words = is_word.index_select(0, others).sum(1).tolist()
    trees = np.tile(np.arange(n), (len(others), 1))
    known_of = [known.get(place) for place in others.tolist()] if known else [None] * len(trees)
    for tree, one, m, of_sentence in zip(trees, on_host, n_words, known_of, strict=True):
        own = one[:m, :m]
        if of_sentence is None:
            tree[:m] = maximum_spanning_tree(own, single_root)
            continue
        found = constrained_spanning_tree(finite(own), own > -np.inf, single_root)
        tree[:m] = own.argmax(1) if found is None else found
    return heads.index_copy(0, others, uploaded(trees, heads.device))
