"""The loss of states in which several actions are right."""

import torch
from torch import Tensor


def with_joint_losses(losses: Tensor, scores: Tensor, partial: Tensor, allowed: Tensor) -> Tensor:
    """Losses in which the joint probability of all right actions counts where there are several.

    losses: (T,) of each state; scores: (T, n_actions); partial: (P,) the states with several right
    actions; allowed: (P, n_actions) which these are."""
    if not len(partial):
        return losses
    log_p = scores.index_select(0, partial).log_softmax(1)
    joint = -log_p.masked_fill(~allowed, -torch.inf).logsumexp(1)
    return losses.index_copy(0, partial, joint)
