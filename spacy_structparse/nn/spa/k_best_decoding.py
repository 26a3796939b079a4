"""The k best trees of a graph-based parser."""

import numpy as np
from torch import Tensor

from ...search_results import KBestHeads
from ...transitions.dependency.known_arcs import ArcQuery
from ...transitions.dependency.spanning_tree import finite, k_best_spanning_trees, log_partition
from ..kernels.device import uploaded
from .constrained_trees import allowed_labels, mask_arcs, of_bucket
from .graph_parser import GraphParser

# Below all scores of arcs by so much an arc has no probability that counts.
OUT_OF_REACH = 1000.0


def k_best_trees(
    parser: GraphParser, tokens: Tensor, query: ArcQuery, k: int, single_root: bool
) -> list[KBestHeads]:
    """Find the k trees of highest score of each sentence, and the best label of each arc.

    The probability of a tree is exp of its score over the sum of all trees (the matrix-tree
    theorem), or of all that keep what is known. That of its labels does not count.

    Args:
        parser: The parser.
        tokens: (N, n_input) sentences end to end, longest first.
        query: The sentences.
        k: The number of trees.
        single_root: Exactly one word of a sentence is its root.
    """
    n_words = query.n_words
    contextual = parser.contextual(tokens, n_words)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for bucket, scores in parser.head_scores(contextual, n_words):
        known = of_bucket(query, bucket)
        scores = mask_arcs(parser.labels, contextual, query, bucket, scores)
        on_host = scores.double().cpu().numpy()
        for place, (one, n) in enumerate(zip(on_host, bucket.is_word.sum(1).tolist(), strict=True)):
            of_sentence = finite(one[:n, :n])
            allowed, apart = None, []
            if place in known:
                apart = known[place].rivals()
                allowed = one[:n, :n] > -np.inf
                of_sentence = np.where(allowed, of_sentence, of_sentence.min() - OUT_OF_REACH)
            heads, totals = k_best_spanning_trees(of_sentence, k, single_root, allowed, apart)
            found.append((heads, totals - log_partition(of_sentence, single_root)))
    labels = arc_labels(parser, contextual, query, [heads for heads, _ in found])
    return [
        KBestHeads(heads, of_trees, log_probs)
        for (heads, log_probs), of_trees in zip(found, labels, strict=True)
    ]


def arc_labels(
    parser: GraphParser, contextual: Tensor, query: ArcQuery, heads: list[np.ndarray]
) -> list[np.ndarray]:
    """Find the best label of each arc of several trees of each sentence.

    Args:
        parser: The parser.
        contextual: (N + B, width) r.
        query: The sentences.
        heads: (K, n) heads of the K trees of each sentence.

    Returns:
        (K, n) labels for each sentence, -1 at roots.
    """
    n_words = query.n_words
    # Trees share most of their arcs: each is scored once.
    arcs = [np.unique(np.arange(n) * n + one) for n, one in zip(n_words, heads, strict=True)]
    root = np.cumsum(n_words) - n_words + np.arange(len(n_words))  # of each sentence in contextual
    first = np.repeat(root + 1, [len(one) for one in arcs])
    n = np.repeat(n_words, [len(one) for one in arcs])
    dependents, of_heads = np.divmod(np.concatenate(arcs), n)
    rows = [uploaded(first + one, contextual.device) for one in (dependents, of_heads)]
    scores = parser.labels(contextual, *rows).cpu().numpy()
    known = query.known or [None] * len(n_words)
    found, start = [], 0
    for n_own, own, trees, of_sentence in zip(n_words, arcs, heads, known, strict=True):
        words = np.arange(n_own)
        of_arcs = scores[start : start + len(own)]
        places = np.searchsorted(own, words * n_own + trees)
        if of_sentence is None:
            labels = of_arcs.argmax(1)[places]
        else:
            kept = [
                allowed_labels(of_arcs[place], tree, of_sentence).argmax(1)
                for place, tree in zip(places, trees, strict=True)
            ]
            labels = np.array(kept, dtype=np.int64).reshape(trees.shape)
        found.append(np.where(trees == words, -1, labels))
        start += len(own)
    return found
