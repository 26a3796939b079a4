"""Exploration: training in the states that the parser's own actions lead to.

A parser that has seen gold states alone does not know what to do after a mistake (Goldberg & Nivre
2012; Ballesteros et al. 2016 for this parser). Its actions are drawn from its own distribution, and
the dynamic oracle says which ones were right in each state.
"""

import numpy as np
from torch import Tensor

from ...transitions.dependency.arc_standard import derive, dynamic_targets
from ..kernels.device import to_device
from ..layers.beam import SHARPNESS
from .batch import StackLSTMBatch
from .decoding import decode
from .model import StackLSTM


def explore(parser: StackLSTM, tokens: Tensor, batch: StackLSTMBatch) -> StackLSTMBatch:
    """Draw actions, and look up the right ones in the dynamic oracle.

    Args:
        parser: The model, in evaluation mode, without gradients.
        tokens: (N, n_input) in the batch's order.
        batch: The gold actions, with trees.

    Returns:
        The batch of the drawn actions, on the device of ``tokens``; ``batch`` itself if a
        sentence's tree is not known.
    """
    trees = [tree for tree in batch.trees if tree is not None]
    if len(trees) < len(batch.trees):
        return batch
    drawn = decode(parser, tokens, np.array(batch.lengths), sharpness=SHARPNESS).cpu().numpy()
    actions = [drawn[: 2 * n - 1, i] for i, n in enumerate(batch.lengths)]
    derivations = [derive(parser.action_set.move_of[taken].tolist()) for taken in actions]
    learned = [
        dynamic_targets(derivation, tree, parser.action_set)
        for derivation, tree in zip(derivations, trees, strict=True)
    ]
    explored = StackLSTMBatch.from_derivations(
        derivations,
        actions,
        parser.action_set,
        [allowed for _, allowed in learned],
        [targets for targets, _ in learned],
        trees,
    )
    return to_device(explored, tokens.device)
