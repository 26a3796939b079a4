"""The probabilities of arcs in all trees of a sentence, by the matrix-tree theorem."""

import torch
from torch import Tensor

from ..fast.device import range_like

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
    diagonal = range_like(scores, n) == range_like(scores, n)[:, None]
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
