"""Exploration: training a bottom-up parser in the states that its own actions lead to.

The actions of a batch are drawn from the parser's own distribution, and the dynamic oracle of Cross
& Huang (2016, §4) says what should have been done in each state.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from ...transitions.constituency.bottom_up import BottomUp
from ...transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from ...transitions.constituency.bottom_up_oracle import dynamic_oracle
from .batch import ForcedActions, collate
from .beam_search import ToParse, decode

if TYPE_CHECKING:
    from .model import Seq2Seq

# Actions are drawn from p ** SHARPNESS, flatter than the model's own (Ballesteros et al. 2016).
SHARPNESS = 0.75


def explored(model: "Seq2Seq", tokens: Tensor, batch: ForcedActions) -> ForcedActions:
    """The batch with actions that the parser draws and targets from the dynamic oracle.

    tokens: (N, n_input). A batch whose trees are not given is returned as it is.
    """
    system = model.linearization
    if not batch.trees or not isinstance(system, BottomUp):
        return batch
    model.eval()
    with torch.no_grad():
        members = [(model, tokens.detach())]
        drawn = decode(members, ToParse(batch.n_words), sharpness=SHARPNESS).actions
    model.train()
    taken = [actions.tolist() for actions in drawn]
    lengths = batch.n_words.tolist()
    positions = []
    for actions, n in zip(taken, lengths, strict=True):
        boundaries = torch.from_numpy(system.boundaries(actions, n))
        if batch.positions.shape[1] > boundaries.shape[1]:
            boundaries = with_heads(boundaries, rightmost_heads(boundaries))
        positions.append(boundaries.numpy())
    right = [
        dynamic_oracle(system, actions, tree, n)
        for actions, tree, n in zip(taken, batch.trees, lengths, strict=True)
    ]
    made = collate(lengths, taken, len(system), positions, right, trees=batch.trees)
    return made.to(tokens.device)
