"""Loss of states in which several actions are right."""

import torch
from torch import Tensor


def marginal_loss(losses: Tensor, scores: Tensor, partial: Tensor, allowed: Tensor) -> Tensor:
    """Replace the losses of ambiguous states by -ln of the sum over all right actions.

    Args:
        losses: (T,) of each state.
        scores: (T, n_actions).
        partial: (P,) states with several right actions.
        allowed: (P, n_actions) their right actions.

    Returns:
        (T,) losses.
    """
    if not len(partial):
        return losses
    log_p = scores.index_select(0, partial).log_softmax(1)
    marginal = -log_p.masked_fill(~allowed, -torch.inf).logsumexp(1)
    return losses.index_copy(0, partial, marginal)
