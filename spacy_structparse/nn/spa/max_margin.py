"""The max-margin loss of dependency trees (McDonald et al. 2005; Kiperwasser & Goldberg 2016).

The gold tree must score higher than every other tree, by at least 1 for each wrong head in that
tree. The tree that breaks this most is found by cost-augmented inference (Taskar et al. 2005): it
is the best tree after 1 is added to the score of each wrong head.
"""

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.spanning_tree import constrained_spanning_tree, finite
from ..kernels.device import uploaded
from .best_trees import best_trees


def max_margin_losses(scores: Tensor, gold: Tensor, is_word: Tensor, single_root: bool) -> Tensor:
    """Compute the loss of each sentence, as a sum over its words.

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

    Raises:
        ValueError: No tree has the known heads of a sentence of which some heads are unknown.
    """
    is_known = gold >= 0
    candidates = torch.arange(scores.shape[1], device=scores.device)
    is_wrong = is_known[:, :, None] & (candidates != gold[:, :, None])
    fixed = scores.detach()
    best = best_trees(fixed + is_wrong, is_word, single_root)
    right = _completed(fixed, gold, is_word, is_wrong, single_root)
    of_best, of_right = (scores.gather(2, heads[:, :, None]).squeeze(2) for heads in (best, right))
    missed = is_known & (best != gold)
    return (of_best - of_right + missed).masked_fill(~is_word, 0.0)


def _completed(
    scores: Tensor, gold: Tensor, is_word: Tensor, is_wrong: Tensor, single_root: bool
) -> Tensor:
    """The heads of the best trees that have the known heads: (B, n), padding its own head.

    Args:
        scores, gold, is_word, single_root: Of :func:`max_margin_losses`.
        is_wrong: (B, n, n) bool; the heads that a word with a known head does not have.
    """
    own = torch.arange(gold.shape[1], device=gold.device).expand_as(gold)
    heads = torch.where(gold >= 0, gold, own)
    partial = (is_word & (gold < 0)).any(1).nonzero()[:, 0]
    if not len(partial):
        return heads
    on_host, wrong, real = (
        one.index_select(0, partial).cpu().numpy() for one in (scores, is_wrong, is_word)
    )
    trees = np.tile(np.arange(gold.shape[1]), (len(partial), 1))
    for tree, of_sentence, not_allowed, n in zip(
        trees, on_host, wrong, real.sum(1).tolist(), strict=True
    ):
        found = constrained_spanning_tree(
            finite(of_sentence[:n, :n]), ~not_allowed[:n, :n], single_root
        )
        if found is None:
            raise ValueError(
                f"No tree has the known heads of a sentence of {n} words: they have a cycle or "
                "several roots. Correct them, or leave the sentence out."
            )
        tree[:n] = found
    return heads.index_copy(0, partial, uploaded(trees, heads.device))
