"""Exploration: training in the states that the parser's own actions lead to.

A parser that has seen gold states alone does not know what to do after a mistake (Goldberg & Nivre
2012; Ballesteros et al. 2016 for this parser). Its actions are drawn from its own distribution and
the dynamic oracle says what should have been done in each state.
"""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from ...transitions.dependency.arc_standard import derive
from ...transitions.dependency.dynamic_oracle import dynamic_targets
from .batch import ForcedBatch, collate
from .decoding import decode

if TYPE_CHECKING:
    from .model import StackLSTMParser

# Actions are drawn from p ** SHARPNESS, flatter than the model's own (Ballesteros et al. 2016).
SHARPNESS = 0.75


def explored(parser: "StackLSTMParser", tokens: Tensor, batch: ForcedBatch) -> ForcedBatch:
    """The batch with actions that the parser draws and targets from the dynamic oracle.

    tokens: (N, n_input). A batch in which a sentence's tree is not known is returned as it is.
    """
    trees = [tree for tree in batch.trees if tree is not None]
    if len(trees) < len(batch.trees):
        return batch
    lengths = np.array(batch.lengths)
    with torch.no_grad():
        drawn = decode(parser, tokens.detach(), lengths, sharpness=SHARPNESS).cpu().numpy()
    actions = [drawn[: 2 * n - 1, i] for i, n in enumerate(batch.lengths)]
    derivations = [derive(parser.action_set.move_of[taken].tolist()) for taken in actions]
    learned = [
        dynamic_targets(derivation, tree, parser.action_set)
        for derivation, tree in zip(derivations, trees, strict=True)
    ]
    return collate(
        derivations,
        actions,
        parser.action_set,
        [allowed for _, allowed in learned],
        [targets for targets, _ in learned],
        trees,
    ).to(tokens.device)
