"""Graph-based dependency parsing as head selection ("RNN-Based Sequence-Preserved Attention for
Dependency Parsing").

P(w_j | w_i) is a softmax over ROOT and all other words of the sentence (Eq. 9). The paper has no
labels. Here a biaffine classifier labels each arc (Dozat & Manning 2017, §2).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ...transitions.dependency.spanning_tree import best_trees
from ..fast.device import range_like, sentence_of_word, sum_by_sentence, to_device
from .scorers import ArcDistance, ArcScorer, Biaffine, Bilinear, Concat, LabelScorer, ScorerKind
from .second_pass import TwoPassEncoder


@dataclass(frozen=True)
class ArcBatch:
    """B sentences of N words in all, longest first, with their gold arcs.

    Attributes:
        n_words: (B,) words of each sentence.
        heads: (N,) heads within each sentence. The root is its own head; -1: unknown.
        labels: (N,) indices of labels; -1 at roots and where unknown.
    """

    n_words: np.ndarray
    heads: Tensor
    labels: Tensor


# The longest sentence of a bucket is at most SPREAD times as long as its shortest, and a bucket has
# at most MAX_PAIRS pairs of words (one sentence may have more).
SPREAD, MAX_PAIRS = 1.25, 500_000


@dataclass(frozen=True)
class LengthBucket:
    """Consecutive sentences of a batch, padded to the longest.

    Attributes:
        first: The index of the first sentence in the batch.
        n_words: (B,) words of each sentence.
        words: (B, longest) the words of each sentence, numbered through the batch. Padding repeats
            the last word.
        is_word: (B, longest) bool; False at padding.
        places: (M,) the places of the words in the padded bucket, row after row.
        rows: (M,) these words, numbered through the batch.
    """

    first: int
    n_words: np.ndarray
    words: Tensor
    is_word: Tensor
    places: Tensor
    rows: Tensor


def length_buckets(lengths: np.ndarray, like: Tensor) -> Iterator[LengthBucket]:
    """Cut a batch into buckets.

    Args:
        lengths: (B,) words of each sentence, in descending order.
        like: A tensor on the device that the buckets are for.
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
        is_word = place < n
        indices = (words, is_word, np.flatnonzero(is_word), words[is_word])
        tensors = (to_device(array, like) for array in indices)
        yield LengthBucket(first, lengths[first:last], *tensors)
        first = last


def max_margin_losses(scores: Tensor, gold: Tensor, is_word: Tensor, single_root: bool) -> Tensor:
    """Compute the loss of each sentence, as a sum over its words.

    The max-margin loss of dependency trees (McDonald et al. 2005; Kiperwasser & Goldberg 2016).

    The gold tree must score higher than every other tree, by at least 1 for each wrong head in that
    tree. The tree that breaks this most is found by cost-augmented inference (Taskar et al. 2005):
    it is the best tree after 1 is added to the score of each wrong head.

    The loss of a sentence is max_y [s(y) + d(y)] - s(gold). s(y) is the sum of the scores of the
    arcs of the tree y, and d(y) the number of words whose known head is not that of y. The loss is
    0 if the gold tree keeps its margin. The part of a single word may be negative.

    Where heads are unknown, the gold tree is the best one that has the known heads (Yu & Joachims
    2009).

    Args:
        scores: (B, n, n) of word j as the head of word i, those of roots on the diagonal; -inf at
            padding.
        gold: (B, n) heads, the root its own; -1: unknown, and at padding.
        is_word: (B, n) bool; False at padding.
        single_root: Exactly one word of a sentence is its root, in all trees that are compared.

    Returns:
        (B, n) the words' parts of the losses, 0 at padding.
    """
    is_known = gold >= 0
    candidates = range_like(scores, scores.shape[1])
    is_wrong = is_known[:, :, None] & (candidates != gold[:, :, None])
    fixed = scores.detach()
    best = best_trees(fixed + is_wrong, is_word, single_root)
    right = torch.where(is_known, gold, candidates)
    if (is_word & ~is_known).any():
        allowed = fixed.nan_to_num(0.0, torch.inf, -torch.inf).masked_fill(is_wrong, -torch.inf)
        right = best_trees(allowed, is_word, single_root)
    of_best, of_right = (scores.gather(2, heads[:, :, None]).squeeze(2) for heads in (best, right))
    missed = is_known & (best != gold)
    return (of_best - of_right + missed).masked_fill(~is_word, 0.0)


HeadLoss = Literal["cross_entropy", "max_margin"]


class GraphParser(nn.Module):
    """Scores of heads and labels.

    Args:
        n_input: Width of the token vectors.
        n_labels: Number of labels.
        encoding: Settings of :class:`~spacy_structparse.nn.spa.second_pass.TwoPassEncoder`. The
            other arguments are settings of ``spacy-structparse.SPA.v1``.

    Attributes:
        dropout: Set by training. It acts where ``dropout_places`` says; with ``everywhere`` in the
            perceptrons of the scorers too.
    """

    def __init__(
        self,
        n_input: int,
        n_labels: int,
        *,
        scorer: ScorerKind,
        scorer_width: int,
        label_width: int,
        distance: bool = False,
        head_loss: HeadLoss = "cross_entropy",
        single_root: bool = True,
        **encoding: Any,
    ) -> None:
        super().__init__()
        self.dropout = 0.0
        self.head_loss, self.single_root = head_loss, single_root
        self.reader = TwoPassEncoder(n_input, **encoding)
        width = self.reader.width
        self.arcs: ArcScorer
        if scorer == "bilinear":
            self.arcs = Bilinear(width)
        elif scorer == "concat":
            self.arcs = Concat(width, scorer_width)
        else:
            self.arcs = Biaffine(width, scorer_width)
        self.distance = ArcDistance(width) if distance else None
        self.labels = LabelScorer(width, label_width, n_labels)

    def _hidden_rate(self) -> float:
        return self.reader.hidden_dropout(self.dropout) if self.training else 0.0

    def head_scores(
        self, contextual: Tensor, n_words: np.ndarray
    ) -> list[tuple[LengthBucket, Tensor]]:
        """Compute s(r_j, r_i) (Eq. 8) of all words of each sentence.

        Args:
            contextual: (N + B, width) r.
            n_words: (B,) words of each sentence, longest first.

        Returns:
            Buckets of sentences, each with the scores (B, longest, longest) of word j as the head
            of word i. The diagonal scores ROOT as the head of word i. Padding is at -inf.
        """
        dependents, heads = self.arcs.projections(contextual, self._hidden_rate())
        by_distance = None if self.distance is None else self.distance.projections(contextual)
        scored = []
        for bucket in length_buckets(n_words, contextual):
            # ROOT, a position of its own before each sentence, shifts rows.
            sentences = bucket.first + range_like(contextual, len(bucket.n_words))[:, None]
            words = bucket.words + sentences + 1
            candidates = torch.cat([words[:, :1] - 1, words], 1)
            scores = self.arcs(dependents[words], heads[candidates])
            as_root, scores = scores[:, :, :1], scores[:, :, 1:]
            n = scores.shape[1]
            if self.distance is not None and by_distance is not None:
                scores = scores + self.distance(by_distance[words])
            diagonal = range_like(scores, n) == range_like(scores, n)[:, None]
            scores = torch.where(diagonal, as_root, scores)
            scores = scores.masked_fill(~(bucket.is_word[:, None] | diagonal), -torch.inf)
            scored.append((bucket, scores))
        return scored

    def label_scores(
        self, contextual: Tensor, n_words: np.ndarray, heads: Tensor, words: Tensor
    ) -> Tensor:
        """Score all labels for the arcs of M words.

        Args:
            contextual: (N + B, width) r.
            n_words: (B,) words of each sentence.
            heads: (N,) heads within each sentence.
            words: (M,) the words whose arcs are scored.

        Returns:
            (M, n_labels).
        """
        sentence = np.repeat(np.arange(len(n_words)), n_words)
        first = to_device((np.cumsum(n_words) - n_words)[sentence] + sentence + 1, contextual)
        own = words + sentence_of_word(n_words, contextual)[words] + 1
        return self.labels(contextual, own, first[words] + heads[words], self._hidden_rate())

    def forward(self, tokens: Tensor, batch: ArcBatch) -> Tensor:
        """Compute the loss of each sentence: that of its heads, and the negative log-likelihood of
        its labels.

        Args:
            tokens: (N, n_input) sentences end to end, longest first.
            batch: The gold arcs; with the loss ``max_margin`` those of a tree, or of a part of one.

        Returns:
            (B,) losses.
        """
        contextual = self.reader(tokens, batch.n_words, self.dropout if self.training else 0.0)
        losses = tokens.new_zeros(len(tokens))
        for bucket, scores in self.head_scores(contextual, batch.n_words):
            of_heads = self._head_losses(scores, bucket, batch.heads)
            losses = losses.index_copy(0, bucket.rows, of_heads)
        labelled = (batch.labels >= 0).nonzero()[:, 0]
        scores = self.label_scores(contextual, batch.n_words, batch.heads, labelled)
        of_labels = cross_entropy(scores, batch.labels[labelled], reduction="none")
        losses = losses.index_add(0, labelled, of_labels)
        return sum_by_sentence(losses, batch.n_words)

    def _head_losses(self, scores: Tensor, bucket: LengthBucket, heads: Tensor) -> Tensor:
        """Compute the losses of the heads of a bucket's M words, row after row.

        Args:
            scores: (B, longest, longest) of the bucket's arcs.
            bucket: Some sentences of a batch.
            heads: (N,) gold heads of the batch.

        Returns:
            (M,) negative log-likelihoods of the heads (Eq. 10), or the words' parts of the
            max-margin losses of the sentences.
        """
        if self.head_loss == "max_margin":
            gold = heads[bucket.words].masked_fill(~bucket.is_word, -1)
            losses = max_margin_losses(scores, gold, bucket.is_word, self.single_root)
            return losses.flatten().index_select(0, bucket.places)
        of_words = scores.flatten(0, 1).index_select(0, bucket.places)
        of_gold = heads.index_select(0, bucket.rows)
        return cross_entropy(of_words, of_gold, ignore_index=-1, reduction="none")
