"""Trees of highest score of a batch of sentences."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.known_arcs import KnownArcs
from ...transitions.dependency.spanning_tree import maximum_spanning_tree
from ..kernels.device import uploaded
from .constrained_trees import best_constrained_tree


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
    for place, one in known.items():
        fine[place] &= not one.bound_words()
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
        found = best_constrained_tree(own, of_sentence, single_root)
        tree[:m] = own.argmax(1) if found is None else found
    return heads.index_copy(0, others, uploaded(trees, heads.device))
