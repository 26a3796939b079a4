"""The scores of what is legal next: what every way of parsing chooses from."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ...transitions.constituency.interface import State


def legal_scores(scores: Sequence[Tensor], state: State) -> Sequence[Tensor]:
    """The scores of every parser with those of illegal actions at -inf, in place.

    scores: (B, n_actions) of each.

    Where words have actions of their own, the decoder was trained to spread over them what it
    gives to reading on, and the word alone tells which one is legal: that one has the sum of all.
    With its own share, reading on would lose to brackets whenever the decoder guesses another word.
    """
    words, illegal = state.word_actions, state.legal_mask().logical_not_()
    for one in scores:
        if words is not None:
            one[:, words] = one[:, words].logsumexp(1, keepdim=True)
        one.masked_fill_(illegal, -torch.inf)
    return scores
