"""Masks of illegal actions."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ...transitions.constituency.interface import State


def mask_illegal(scores: Sequence[Tensor], state: State) -> None:
    """Set the scores of illegal actions to -inf, in place.

    Where words have actions of their own, training spreads over them the probability of reading on,
    and the next word alone says which one is legal: that one gets the sum of all. With its own
    share, reading on would lose to brackets whenever the decoder guesses another word.

    Args:
        scores: (M, n_actions) of each member of an ensemble.
        state: The M states.
    """
    words, illegal = state.word_actions, state.legal_mask().logical_not_()
    for one in scores:
        if words is not None:
            one[:, words] = one[:, words].logsumexp(1, keepdim=True)
        one.masked_fill_(illegal, -torch.inf)
