"""Trees of highest score, and the probabilities of heads, from a graph-based parser.

A head has two probabilities. :func:`head_probabilities` are those that the parser learns, of each
word for itself (Eq. 9). :func:`arc_marginals` are those of all trees that have the arc.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ...search_results import ConfidentParse
from ...transitions.dependency.known_arcs import ArcQuery
from ..kernels.device import uploaded
from .best_trees import best_trees
from .constrained_trees import mask_arcs, mask_labels, of_bucket
from .graph_parser import GraphParser
from .tree_marginals import tree_marginals


@dataclass(frozen=True)
class HeadQuery:
    """A request for the probabilities of heads.

    Attributes:
        n_words: (B,) words of each sentence, longest first.
        marginals: Ask for the marginals of trees, not for each word's own distribution.
    """

    n_words: np.ndarray
    marginals: bool = False


def head_probabilities(parser: GraphParser, tokens: Tensor, n_words: np.ndarray) -> list[Tensor]:
    """Compute P(w_j | w_i) (Eq. 9) of each sentence: (n, n), with ROOT's on the diagonal."""
    found = []
    for bucket, scores in parser.head_scores(parser.contextual(tokens, n_words), n_words):
        of_sentences = zip(scores.softmax(2), bucket.is_word.sum(1).tolist(), strict=True)
        found += [p[:n, :n] for p, n in of_sentences]
    return found


def arc_marginals(
    parser: GraphParser, tokens: Tensor, n_words: np.ndarray, single_root: bool
) -> list[Tensor]:
    """Compute the marginal of each arc of each sentence: (n, n), with ROOT's on the diagonal."""
    found = []
    contextual = parser.contextual(tokens, n_words)
    for bucket, scores in parser.head_scores(contextual, n_words):
        is_word = uploaded(bucket.is_word, tokens.device)
        marginals = tree_marginals(scores, is_word, single_root)
        of_sentences = zip(marginals, bucket.is_word.sum(1).tolist(), strict=True)
        found += [p[:n, :n] for p, n in of_sentences]
    return found


def decode(parser: GraphParser, tokens: Tensor, query: ArcQuery, single_root: bool) -> Tensor:
    """Find the tree of highest score of each sentence, and the best label of each of its arcs.

    Args:
        parser: The parser.
        tokens: (N, n_input) sentences end to end, longest first.
        query: The sentences.
        single_root: Exactly one word of a sentence is its root.

    Returns:
        (N, 2) heads within each sentence, the root its own, and labels, -1 at the root.
    """
    return _decode(parser, tokens, query, single_root, False).parse


def decode_with_confidence(
    parser: GraphParser, tokens: Tensor, query: ArcQuery, single_root: bool
) -> ConfidentParse:
    """Decode as :func:`decode` does, and compute how sure each arc is.

    The confidence of a head is its marginal; that of head and label is the marginal times the
    probability of the label of this arc.
    """
    return _decode(parser, tokens, query, single_root, True)


def _decode(
    parser: GraphParser,
    tokens: Tensor,
    query: ArcQuery,
    single_root: bool,
    with_confidence: bool,
) -> ConfidentParse:
    """Decode, and compute the confidence if it is asked for; it is empty otherwise."""
    n_words = query.n_words
    contextual = parser.contextual(tokens, n_words)
    heads = torch.empty(len(tokens), dtype=torch.int64, device=tokens.device)
    n_sure = len(tokens) if with_confidence else 0
    sure = torch.empty(n_sure, dtype=torch.float64, device=tokens.device)
    for bucket, scores in parser.head_scores(contextual, n_words):
        is_word = uploaded(bucket.is_word, tokens.device)
        rows = uploaded(bucket.words[bucket.is_word], tokens.device)
        places = uploaded(bucket.places, tokens.device)
        scores = mask_arcs(parser.labels, contextual, query, bucket, scores)
        best = best_trees(scores, is_word, single_root, of_bucket(query, bucket))
        heads[rows] = best.view(-1).index_select(0, places)
        if with_confidence:
            marginals = tree_marginals(scores, is_word, single_root)
            of_best = marginals.gather(2, best[:, :, None])
            sure[rows] = of_best.view(-1).index_select(0, places)
    words = torch.arange(len(tokens), device=tokens.device)
    label_scores = parser.label_scores(contextual, n_words, heads, words)
    label_scores = mask_labels(label_scores, heads, query)
    labels = label_scores.argmax(1)
    start = torch.from_numpy(np.repeat(np.cumsum(n_words) - n_words, n_words))
    is_root = heads == words - uploaded(start, heads.device)
    parse = torch.stack([heads, labels.masked_fill(is_root, -1)], 1)
    if not with_confidence:
        return ConfidentParse(parse, sure)
    of_label = label_scores.double().softmax(1).amax(1).masked_fill(is_root, 1.0)
    return ConfidentParse(parse, torch.stack([sure, sure * of_label.nan_to_num(0.0)], 1))
