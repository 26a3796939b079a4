"""Trees of highest score, and the probabilities of heads, from a graph-based parser.

A head has two probabilities: that which the parser learns, of each word for itself (Eq. 9), and its
marginal, that of all trees that have the arc.
"""

import numpy as np
import torch
from torch import Tensor

from ...search_results import ConfidentParse, KBestHeads
from ...transitions.dependency.known_arcs import ArcQuery
from ...transitions.dependency.spanning_tree import finite, k_best_spanning_trees
from ..fast.device import uploaded
from .best_trees import best_trees, mask_arcs, mask_labels, of_bucket
from .graph_parser import GraphParser

# Largest error of a marginal that is accepted of an inverse in double precision.
TOLERANCE = 1e-9
# Elimination keeps n matrices of n x n numbers: longer sentences keep the inverse's marginals.
MAX_ELIMINATED = 200


def tree_marginals(scores: Tensor, is_word: Tensor, single_root: bool) -> Tensor:
    """Compute the marginal probabilities of all arcs.

    The probability of a tree is proportional to the product of the weights of its arcs. A weight is
    the exponential of a score. The marginal probability of an arc is that of all trees that have
    it. Determinants of a Laplacian sum over trees, non-projective ones included (Koo et al. 2007;
    Smith & Smith 2007), and its inverse gives all marginals of a sentence.

    A row of weights is scaled by its largest, and with a single root so are those of roots: every
    tree has one arc of each row, and one root, so that no probability changes. Where the trees have
    but a tiny part of the weight of all choices of heads (words that choose each other), the
    inverse loses its digits. Such sentences are computed again, without subtractions.

    Args:
        scores: (B, n, n) of word j as the head of word i, those of roots on the diagonal; -inf at
            padding, and where there is no arc.
        is_word: (B, n) bool; False at padding.
        single_root: Exactly one word of a sentence is its root.

    Returns:
        (B, n, n) float64 probabilities, of the root on the diagonal; 0 at padding. A row of a word
        sums to 1. The rows of a sentence whose scores are not numbers are 0.
    """
    scores = scores.double()
    n = scores.shape[1]
    diagonal = torch.eye(n, dtype=torch.bool, device=scores.device)
    padding = ~(is_word[:, :, None] & is_word[:, None])
    shifted = scores - scores.amax(2, keepdim=True)
    weights = shifted.exp().masked_fill(padding, 0.0)
    arcs, roots = weights.masked_fill(diagonal, 0.0), shifted.diagonal(dim1=1, dim2=2)
    if single_root:
        roots = roots - roots.masked_fill(~is_word, -torch.inf).amax(1, keepdim=True)
    roots = roots.exp().masked_fill(~is_word, 0.0)
    # Rows are dependents: this is the transpose of the papers' Laplacian.
    laplacian = torch.diag_embed(arcs.sum(2) + (~is_word)) - arcs
    if single_root:
        laplacian[:, :, 0] = roots
    else:
        laplacian += torch.diag_embed(roots)
    inverse = torch.linalg.inv_ex(laplacian).inverse
    of_dependent = inverse.diagonal(dim1=1, dim2=2).clone()
    of_head = inverse.transpose(1, 2).clone()
    of_root = inverse[:, 0] if single_root else of_dependent.clone()
    if single_root:  # the first column is the roots'
        of_dependent[:, 0] = 0.0
        of_head[:, :, 0] = 0.0
    marginals = arcs * (of_dependent[:, :, None] - of_head) + torch.diag_embed(roots * of_root)
    rest = (laplacian @ inverse - diagonal.double()).abs().flatten(1).amax(1)
    error = n * rest * inverse.abs().flatten(1).amax(1)
    for b in (~(error < TOLERANCE)).nonzero()[:, 0].tolist():
        m = int(is_word[b].sum())
        own = scores[b, :m, :m]
        if m <= MAX_ELIMINATED and not own.isnan().any():
            marginals[b, :m, :m] = _marginals_by_elimination(own, single_root)
    return marginals.nan_to_num(0.0, 0.0, 0.0).clamp_(0.0, 1.0)


def _marginals_by_elimination(scores: Tensor, single_root: bool) -> Tensor:
    """The marginals of one sentence: the gradient of the log of the weight of all trees.

    Args:
        scores: (n, n), without padding.
        single_root: See :func:`tree_marginals`.
    """
    finite = scores[scores.isfinite()]
    low = float(finite.min()) - 1000.0 if len(finite) else 0.0
    with torch.inference_mode(False), torch.enable_grad():
        leaves = scores.clone().nan_to_num_(neginf=low).requires_grad_()
        (gradient,) = torch.autograd.grad(log_weight_of_trees(leaves, single_root), leaves)
    return gradient


def log_weight_of_trees(scores: Tensor, single_root: bool) -> Tensor:
    """Compute ln of the summed weight of all trees, each exp of its total score (the matrix-tree
    theorem, Koo et al. 2007 for one root).

    A determinant loses all digits where the best heads are a cycle. So words are eliminated one by
    one, without subtractions (Grassmann et al. 1985): a word that leaves passes its dependents on
    to its candidates for a head.

    With a single root no word but the last one may leave for ROOT.
    """
    arcs, roots = scores, scores.diagonal()
    total = scores.new_zeros(())
    for k in range(len(scores) - 1, 0, -1):
        above, as_root = arcs[k, :k], roots[k]
        leaving = above.logsumexp(0)
        if not single_root:
            leaving = torch.logaddexp(leaving, as_root)
        total = total + leaving
        passed = arcs[:k, k] - leaving
        arcs = torch.logaddexp(arcs[:k, :k], passed[:, None] + above)
        roots = torch.logaddexp(roots[:k], passed + as_root)
    return total + roots[0]


def head_probabilities(parser: GraphParser, tokens: Tensor, n_words: np.ndarray) -> list[Tensor]:
    """Compute P(w_j | w_i) (Eq. 9) of each sentence: (n, n), with ROOT's on the diagonal."""
    found = []
    for bucket, scores in parser.head_scores(parser.contextual(tokens, n_words), n_words):
        of_sentences = zip(scores.softmax(2), bucket.is_word.sum(1).tolist(), strict=True)
        found += [p[:n, :n] for p, n in of_sentences]
    return found


def decode(
    parser: GraphParser, tokens: Tensor, query: ArcQuery, single_root: bool
) -> Tensor | ConfidentParse:
    """Find the tree of highest score of each sentence, and the best label of each of its arcs.

    The confidence of a head is its marginal; that of head and label is the marginal times the
    probability of the label of this arc.

    Args:
        parser: The parser.
        tokens: (N, n_input) sentences end to end, longest first.
        query: The sentences, and what is wanted.
        single_root: Exactly one word of a sentence is its root.

    Returns:
        (N, 2) heads within each sentence, the root its own, and labels, -1 at the root.
    """
    n_words = query.n_words
    contextual = parser.contextual(tokens, n_words)
    heads = torch.empty(len(tokens), dtype=torch.int64, device=tokens.device)
    sure = torch.empty(len(tokens), dtype=torch.float64, device=tokens.device)
    for bucket, scores in parser.head_scores(contextual, n_words):
        is_word = uploaded(bucket.is_word, tokens.device)
        rows = uploaded(bucket.words[bucket.is_word], tokens.device)
        places = uploaded(bucket.places, tokens.device)
        scores = mask_arcs(parser.labels, contextual, query, bucket, scores)
        best = best_trees(scores, is_word, single_root, of_bucket(query, bucket))
        heads[rows] = best.view(-1).index_select(0, places)
        if query.wanted == "confidence":
            marginals = tree_marginals(scores, is_word, single_root)
            of_best = marginals.gather(2, best[:, :, None])
            sure[rows] = of_best.view(-1).index_select(0, places)
    words = torch.arange(len(tokens), device=tokens.device)
    label_scores = parser.label_scores(contextual, n_words, heads, words)
    label_scores = mask_labels(label_scores, query)
    labels = label_scores.argmax(1)
    start = torch.from_numpy(np.repeat(np.cumsum(n_words) - n_words, n_words))
    is_root = heads == words - uploaded(start, heads.device)
    parse = torch.stack([heads, labels.masked_fill(is_root, -1)], 1)
    if query.wanted != "confidence":
        return parse
    of_label = label_scores.double().softmax(1).amax(1).masked_fill(is_root, 1.0)
    return ConfidentParse(parse, torch.stack([sure, sure * of_label.nan_to_num(0.0)], 1))


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
            allowed = None
            if place in known:
                allowed = one[:n, :n] > -np.inf
                of_sentence = np.where(allowed, of_sentence, of_sentence.min() - OUT_OF_REACH)
            heads, totals = k_best_spanning_trees(of_sentence, k, single_root, allowed)
            of_all = log_weight_of_trees(torch.from_numpy(of_sentence), single_root)
            found.append((heads, totals - float(of_all)))
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
        if of_sentence is not None:  # the labels that the dependent of each arc may have
            of_arcs = np.where(of_sentence.labels[own // n_own], of_arcs, -np.inf)
        found.append(np.where(trees == words, -1, of_arcs.argmax(1)[places]))
        start += len(own)
    return found
