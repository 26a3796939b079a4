"""Exploration: training a bottom-up parser in the states that its own actions lead to.

The actions of a batch are drawn from the parser's own distribution, and the dynamic oracle of Cross
& Huang (2016, §4) says which ones were right in each state.
"""

import torch
from torch import Tensor

from ...transitions.constituency.bottom_up import BottomUp, dynamic_oracle
from ...transitions.constituency.bottom_up_heads import rightmost_heads, with_heads
from ..kernels.device import to_device
from ..layers.beam import SHARPNESS
from .batch import Seq2SeqBatch
from .beam_search import Sentences, decode
from .model import Seq2Seq


def explore(model: Seq2Seq, tokens: Tensor, batch: Seq2SeqBatch) -> Seq2SeqBatch:
    """Draw actions, and look up the right ones in the dynamic oracle.

    Args:
        model: The model, in evaluation mode, without gradients.
        tokens: (N, n_input) in the batch's order.
        batch: The gold actions, with trees.

    Returns:
        The batch of the drawn actions, on the device of ``tokens``; ``batch`` itself if trees are
        not known, or the linearization has no dynamic oracle.
    """
    system = model.linearization
    if not batch.trees or not isinstance(system, BottomUp):
        return batch
    drawn = decode([(model, tokens)], Sentences(batch.n_words), sharpness=SHARPNESS).actions
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
    explored = Seq2SeqBatch.from_actions(
        lengths, taken, len(system), positions, right, trees=batch.trees
    )
    return to_device(explored, tokens.device)
