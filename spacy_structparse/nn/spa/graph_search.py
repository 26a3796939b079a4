"""The search of the graph-based parser for trees of highest score, and the probabilities of heads.

A head has two probabilities: that which the parser learns, of each word for itself (Eq. 9), and its
marginal, that of all trees that have the arc.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ...search_results import Arcs, ScoredArcs, Sentences
from ...transitions.dependency.known_arcs import KnownArcs
from ...transitions.dependency.spanning_tree import best_trees, finite, k_best_spanning_trees
from ..fast.device import LazyAnswers, range_like, to_device, to_numpy
from .graph_parser import GraphParser, LengthBucket
from .tree_marginals import log_weight_of_trees, tree_marginals

# Below all scores of arcs by so much an arc has no probability that counts.
OUT_OF_REACH = 1000.0


class _Bucket(NamedTuple):
    """Sentences of about one length.

    Attributes:
        bucket: The sentences.
        known: What is known of some, by their places in the bucket.
        scores: (B', longest, longest) scores of their arcs, -inf where one contradicts it.
    """

    bucket: LengthBucket
    known: dict[int, KnownArcs]
    scores: Tensor


class _BestArcs(NamedTuple):
    """The best trees.

    Attributes:
        trees: (B', longest) heads of each bucket.
        heads: (N,) heads, sentences end to end.
        label_scores: (N, n_labels) of the labels of their arcs.
        is_root: (N,) bool.
    """

    trees: list[Tensor]
    heads: Tensor
    label_scores: Tensor
    is_root: Tensor


class GraphSearch(LazyAnswers):
    """A :class:`~spacy_structparse.search_results.Search` for the trees of highest score, and the
    best label of each of their arcs.

    Args:
        parser: The parser, in evaluation mode.
        tokens: (N, n_input) sentences end to end, longest first.
        sentences: The sentences. Their constraints are
            :class:`~spacy_structparse.transitions.dependency.known_arcs.KnownArcs`.
        settings: The settings of the parser: with ``single_root`` exactly one word of a sentence is
            its root.
    """

    def __init__(
        self,
        parser: GraphParser,
        tokens: Tensor,
        sentences: Sentences,
        settings: Mapping[str, Any],
    ) -> None:
        super().__init__()
        self.parser, self.tokens = parser, tokens
        self.n_words, self.single_root = sentences.n_words, settings["single_root"]
        self._known = sentences.constraints or [None] * len(sentences.n_words)

    @cached_property
    def _scored(self) -> tuple[Tensor, list[_Bucket]]:
        """The vectors of ROOT and all words, r, and the scores of arcs."""
        contextual = self.parser.reader(self.tokens, self.n_words)
        buckets = []
        for bucket, scores in self.parser.head_scores(contextual, self.n_words):
            of_bucket = self._known[bucket.first : bucket.first + len(bucket.n_words)]
            known = {place: arcs for place, arcs in enumerate(of_bucket) if arcs is not None}
            if known:
                scores = self._masked(contextual, bucket, known, scores.clone())
            buckets.append(_Bucket(bucket, known, scores))
        return contextual, buckets

    def _masked(
        self,
        contextual: Tensor,
        bucket: LengthBucket,
        known: Mapping[int, KnownArcs],
        scores: Tensor,
    ) -> Tensor:
        """Set the scores of arcs that contradict what is known to -inf, in place.

        Where the label of a word is known and its head is not, an arc's score also counts the log
        probability of the label.
        """
        starts = np.cumsum(self.n_words) - self.n_words + np.arange(len(self.n_words)) + 1
        for place, arcs in known.items():
            n, first = len(arcs.heads), starts[bucket.first + place]
            labelled = np.flatnonzero((arcs.heads < 0) & ~arcs.labels.all(1))
            if len(labelled):
                pairs = np.repeat(labelled, n), np.tile(np.arange(n), len(labelled))
                rows = [to_device(words, scores) for words in pairs]
                log_p = self.parser.labels(contextual[first : first + n], *rows).log_softmax(1)
                log_p.masked_fill_(to_device(~arcs.labels[pairs[0]], scores), -torch.inf)
                scores[place, rows[0], rows[1]] += log_p.logsumexp(1).to(scores.dtype)
            allowed = to_device(arcs.allowed_heads(), scores)
            scores[place, :n, :n].masked_fill_(~allowed, -torch.inf)
        return scores

    @cached_property
    def _best(self) -> _BestArcs:
        contextual, buckets = self._scored
        trees = []
        for bucket, _, scores in buckets:
            trees.append(best_trees(scores, bucket.is_word, self.single_root))
        heads = self._of_words(trees)
        words = range_like(heads, len(heads))
        scores = self.parser.label_scores(contextual, self.n_words, heads, words)
        starts = np.cumsum(self.n_words) - self.n_words
        for start, arcs in zip(starts.tolist(), self._known, strict=True):
            if arcs is not None:
                others = to_device(~arcs.labels, scores)
                scores[start : start + len(others)].masked_fill_(others, -torch.inf)
        own = words - to_device(np.repeat(starts, self.n_words), heads)
        return _BestArcs(trees, heads, scores, heads == own)

    def _of_words(self, values: list[Tensor]) -> Tensor:
        """The values of words, sentences end to end: (N,). values: (B', longest) of each bucket."""
        of_words = values[0].new_empty(len(self.tokens))
        for (bucket, _, _), of_bucket in zip(self._scored[1], values, strict=True):
            of_words[bucket.rows] = of_bucket.view(-1).index_select(0, bucket.places)
        return of_words

    def best(self) -> Arcs:
        """The tree of highest score of each sentence, and the best label of each of its arcs."""
        with self.predicting():
            _, heads, label_scores, is_root = self._best
            labels = label_scores.argmax(1).masked_fill(is_root, -1)
            return Arcs(*to_numpy(torch.stack([heads, labels])))

    def confidence(self) -> np.ndarray:
        """Return the confidence of the best arcs: the marginal of a head; of head and label, the
        marginal times the probability of the label of this arc."""
        with self.predicting():
            trees, _, label_scores, is_root = self._best
            of_trees = []
            for (bucket, _, scores), heads in zip(self._scored[1], trees, strict=True):
                marginals = tree_marginals(scores, bucket.is_word, self.single_root)
                of_trees.append(marginals.gather(2, heads[:, :, None]).squeeze(2))
            of_head = self._of_words(of_trees)
            of_label = label_scores.double().softmax(1).amax(1).masked_fill(is_root, 1.0)
            return to_numpy(torch.stack([of_head, of_head * of_label.nan_to_num(0.0)], 1))

    def head_probabilities(self) -> list[np.ndarray]:
        """P(w_j | w_i) (Eq. 9) of each sentence: (n, n), with ROOT's on the diagonal."""
        probabilities = []
        with self.predicting():
            for bucket, _, scores in self._scored[1]:
                lengths = bucket.n_words.tolist()
                of_bucket = to_numpy(scores.softmax(2))
                probabilities += [p[:n, :n] for p, n in zip(of_bucket, lengths, strict=True)]
        return probabilities

    def k_best(self, k: int, beam_width: int = 1) -> list[ScoredArcs]:
        """The k trees of highest score of each sentence, and the best label of each arc.

        The probability of a tree is exp of its score over the sum of all trees (the matrix-tree
        theorem), or of all that keep what is known. That of its labels does not count.
        """
        parses = []
        with self.predicting():
            contextual, buckets = self._scored
            first = 1  # the row of a sentence's first word, after ROOT
            for bucket, known, scores in buckets:
                of_sentences = zip(to_numpy(scores.double()), bucket.n_words.tolist(), strict=True)
                for place, (of_pairs, n) in enumerate(of_sentences):
                    words = contextual[first : first + n]
                    parses.append(self._k_best(words, of_pairs[:n, :n], known.get(place), k))
                    first += n + 1
        return parses

    def _k_best(
        self, contextual: Tensor, scores: np.ndarray, known: KnownArcs | None, k: int
    ) -> ScoredArcs:
        """The k best trees of a sentence.

        Args:
            contextual: (n, width) r of its words.
            scores: (n, n) of its arcs, -inf where one contradicts what is known.
            known: The latter.
            k: The number of trees.
        """
        allowed, scores = scores > -np.inf, finite(scores)
        if known is not None:
            scores = np.where(allowed, scores, scores.min() - OUT_OF_REACH)
        constraint = None if known is None else allowed
        heads, totals = k_best_spanning_trees(scores, k, self.single_root, constraint)
        of_all = log_weight_of_trees(torch.from_numpy(scores), self.single_root)
        words = np.arange(len(scores))
        # Trees share most of their arcs: the labels of each are scored once.
        arcs, of_trees = np.unique(words * len(words) + heads, return_inverse=True)
        dependents, of_heads = np.divmod(arcs, len(words))
        rows = [to_device(ends, contextual) for ends in (dependents, of_heads)]
        of_labels = to_numpy(self.parser.labels(contextual, *rows))
        if known is not None:  # the labels that the dependent of each arc may have
            of_labels = np.where(known.labels[dependents], of_labels, -np.inf)
        best = of_labels.argmax(1)[of_trees.reshape(heads.shape)]
        return ScoredArcs(heads, np.where(heads == words, -1, best), totals - float(of_all))
