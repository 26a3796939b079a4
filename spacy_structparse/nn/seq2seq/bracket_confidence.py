"""How sure the brackets of a tree are: a second pass over the actions that were found."""

from collections.abc import Sequence

import torch
from torch import Tensor

from ...confidence import ConfidentParse
from ...transitions.constituency.bracket_confidence import bracket_confidence, closing_actions
from .beam_search import Decoded, Member, Sentences
from .forced_decoding import forced_steps


def with_confidence(
    members: Sequence[Member], sentences: Sentences, decoded: Decoded
) -> ConfidentParse:
    """Add the confidence of brackets to what was decoded with constraints.

    Args:
        members: One model, or an ensemble.
        sentences: The sentences.
        decoded: Their actions.

    Returns:
        The same, with a dictionary of brackets over words and their confidence for each sentence.
    """
    linearization, device = members[0][0].linearization, members[0][1].device
    closes = torch.from_numpy(closing_actions(linearization)).to(device)
    log_probs: list[Tensor] = []
    closing: list[Tensor] = []
    for step in forced_steps(members, sentences, decoded.actions):
        log_probs.append(step.log_probs.gather(1, step.chosen[:, None])[:, 0])
        closing.append(step.log_probs.exp()[:, closes].sum(1))
    of_actions = torch.stack(log_probs, 1).double().cpu().numpy()
    of_closing = torch.stack(closing, 1).double().cpu().numpy()
    found = [
        bracket_confidence(linearization, taken.tolist(), n, log_p[: len(taken)], p[: len(taken)])
        for taken, n, log_p, p in zip(
            decoded.actions, sentences.n_words.tolist(), of_actions, of_closing, strict=True
        )
    ]
    return ConfidentParse(decoded, found)
