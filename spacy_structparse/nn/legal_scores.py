"""The scores of what is legal next: what every way of parsing chooses from."""

import torch
from torch import Tensor

from ..transitions.constituency import State


def legal_scores(scores: Tensor, state: State) -> Tensor:
    """The scores with those of illegal actions at -inf, in place. scores: (B, n_actions).

    Where words have actions of their own, the decoder was trained to spread over them what it
    gives to reading on, and the word alone tells which one is legal: that one has the sum of all.
    With its own share, reading on would lose to brackets whenever the decoder guesses another word.
    """
    words = state.word_actions
    if words is not None:
        scores[:, words] = scores[:, words].logsumexp(1, keepdim=True)
    return scores.masked_fill_(state.legal_mask().logical_not_(), -torch.inf)
