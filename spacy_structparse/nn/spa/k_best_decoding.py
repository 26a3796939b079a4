"""The k best trees of a graph-based parser."""

import numpy as np
import torch
from torch import Tensor

from ...k_best import KBestHeads
from ...transitions.dependency.k_best_trees import k_best_spanning_trees
from ...transitions.dependency.spanning_tree import finite
from ...transitions.dependency.tree_sums import log_partition
from .graph_parser import GraphParser


def k_best_trees(
    parser: GraphParser, tokens: Tensor, n_words: np.ndarray, k: int, single_root: bool
) -> list[KBestHeads]:
    """Find the k trees of highest score of each sentence, and the best label of each arc.

    The probability of a tree is exp of its score over the sum of all trees (the matrix-tree
    theorem). That of its labels does not count.

    Args:
        parser: The parser.
        tokens: (N, n_input) sentences end to end, longest first.
        n_words: (B,) words of each sentence.
        k: The number of trees.
        single_root: Exactly one word of a sentence is its root.
    """
    contextual = parser.contextual(tokens, n_words)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for bucket, scores in parser.head_scores(contextual, n_words):
        on_host = scores.double().cpu().numpy()
        for one, n in zip(on_host, bucket.is_word.sum(1).tolist(), strict=True):
            of_sentence = finite(one[:n, :n])
            heads, totals = k_best_spanning_trees(of_sentence, k, single_root)
            found.append((heads, totals - log_partition(of_sentence, single_root)))
    labels = arc_labels(parser, contextual, n_words, [heads for heads, _ in found])
    return [
        KBestHeads(heads, of_trees, log_probs)
        for (heads, log_probs), of_trees in zip(found, labels, strict=True)
    ]


def arc_labels(
    parser: GraphParser, contextual: Tensor, n_words: np.ndarray, heads: list[np.ndarray]
) -> list[np.ndarray]:
    """Find the best label of each arc of several trees of each sentence.

    Args:
        parser: The parser.
        contextual: (N + B, width) r.
        n_words: (B,) words of each sentence.
        heads: (K, n) heads of the K trees of each sentence.

    Returns:
        (K, n) labels for each sentence, -1 at roots.
    """
    # Trees share most of their arcs: each is labelled once.
    arcs = [np.unique(np.arange(n) * n + one) for n, one in zip(n_words, heads, strict=True)]
    root = np.cumsum(n_words) - n_words + np.arange(len(n_words))  # of each sentence in contextual
    first = np.repeat(root + 1, [len(one) for one in arcs])
    n = np.repeat(n_words, [len(one) for one in arcs])
    dependents, of_heads = np.divmod(np.concatenate(arcs), n)
    rows = [torch.from_numpy(first + one).to(contextual.device) for one in (dependents, of_heads)]
    best = parser.labels(contextual, *rows).argmax(1).cpu().numpy()
    best[dependents == of_heads] = -1
    found, start = [], 0
    for n_own, own, trees in zip(n_words, arcs, heads, strict=True):
        places = np.searchsorted(own, np.arange(n_own) * n_own + trees)
        found.append(best[start + places])
        start += len(own)
    return found
