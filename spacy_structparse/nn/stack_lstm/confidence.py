"""How sure the arcs of a stack-LSTM parser are."""

import numpy as np
import torch
from torch import Tensor

from ...confidence import ConfidentParse
from ...constraints import ConstrainedRows
from ...transitions.dependency.arc_confidence import arc_confidence
from ...transitions.dependency.arc_standard import derivations_of
from ..kernels.device import to_device
from .batch import StackLSTMBatch
from .decoding import decode
from .model import StackLSTM


def decode_with_confidence(
    parser: StackLSTM,
    tokens: Tensor,
    lengths: np.ndarray,
    beam_width: int = 1,
    constraints: ConstrainedRows | None = None,
) -> ConfidentParse:
    """Decode as :func:`~spacy_structparse.nn.stack_lstm.decoding.decode` does, and score the states
    of the derivations found, all at once, for the confidence of their arcs."""
    found = decode(parser, tokens, lengths, beam_width, constraints=constraints)
    derivations, actions = derivations_of(found.cpu().numpy(), lengths, parser.action_set)
    batch = StackLSTMBatch.from_derivations(derivations, actions, parser.action_set)
    scores = parser.forced_scores(tokens, to_device(batch, tokens.device))
    probabilities = scores.double().softmax(1).cpu().numpy()
    taken = np.concatenate(actions)
    confidence = arc_confidence(derivations, taken, probabilities, parser.action_set)
    return ConfidentParse(found, torch.from_numpy(confidence))
