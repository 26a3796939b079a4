"""How sure the arcs of a transition-based parser are."""

import numpy as np
import torch
from torch import Tensor

from ...confidence import ConfidentParse
from ...constraints import ConstrainedRows
from ...transitions.dependency.arc_confidence import arc_confidence
from ...transitions.dependency.arc_standard import derivations_of
from ..kernels.device import to_device
from .batch import MoveBatch
from .transition_decoding import decode
from .transition_parser import TransitionParser


def decode_with_confidence(
    parser: TransitionParser,
    tokens: Tensor,
    n_words: np.ndarray,
    constraints: ConstrainedRows | None = None,
) -> ConfidentParse:
    """Decode as :func:`~spacy_structparse.nn.spa.transition_decoding.decode` does, and score the
    states of the derivations found, all at once, for the confidence of their arcs."""
    found = decode(parser, tokens, n_words, constraints)
    derivations, actions = derivations_of(found.cpu().numpy(), n_words, parser.action_set)
    batch = MoveBatch.from_derivations(
        derivations, actions, parser.action_set, [None] * len(derivations)
    )
    scores = parser.action_scores(tokens, to_device(batch, tokens.device))
    probabilities = scores.double().softmax(1).cpu().numpy()
    taken = np.concatenate(actions)
    confidence = arc_confidence(derivations, taken, probabilities, parser.action_set)
    return ConfidentParse(found, torch.from_numpy(confidence))
