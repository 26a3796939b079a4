"""Surprisal of words, and the words that may follow a prefix."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from ..kernels.checkpointing import checkpointed
from ..kernels.device import to_host, uploaded
from .batch import Prefixes, SurprisalQuery, predictions_by_sentence, target_rows
from .model import ROWS_TOGETHER, PhrasalLM


@dataclass(frozen=True)
class Predicted:
    """The predictions of one sentence of n words, on the host.

    Attributes:
        surprisal: (n + 1,) nats of each word and of the end.
        entropy: (n + 1,) nats, of the prediction of each word and of the end. Empty where it was
            not asked for.
        weights: For t = 1, ..., n the weights (t,) of the phrases in the prediction after t words,
            in the order of the words they start with, those of the sentence itself. Empty where
            they were not asked for.
    """

    surprisal: Tensor
    entropy: Tensor
    weights: list[Tensor]


def surprisals(model: PhrasalLM, tokens: Tensor, query: SurprisalQuery) -> list[Predicted]:
    """Compute -ln p of every word and every end of a sentence.

    Args:
        model: The language model.
        tokens: (N, n_input) sentences end to end, longest first, without restarts.
        query: Their words.
    """
    states, weights = model.prediction_states(tokens, query.n_words, query.restarts)
    rows = uploaded(target_rows(query), tokens.device)

    def measure(part: Tensor, targets: Tensor) -> Tensor:
        scores = model.scores(part)
        found = [cross_entropy(scores, targets, reduction="none")]
        if query.entropy:
            log_p = scores.log_softmax(1)
            found.append(-(log_p.exp() * log_p).sum(1))
        return torch.stack(found, 1)

    found = checkpointed(measure, ROWS_TOGETHER, states.index_select(0, rows), query.targets).cpu()
    shown = to_host(weights) if query.phrase_weights else []
    ends = query.targets_of_each.tolist()
    predicted = []
    for i, (of_one, n) in enumerate(zip(found.split(ends), ends, strict=True)):
        before = int(query.n_words[i]) - (n - 1)  # positions of the context
        own = [w[i][-t:] for t, w in enumerate(shown[before : before + n - 1], start=1)]
        predicted.append(Predicted(of_one[:, 0], of_one[:, 1:].flatten(), own))
    return predicted


def next_word(model: PhrasalLM, tokens: Tensor, prefixes: Prefixes) -> Tensor:
    """Compute ln p of every word, and of the end, after each prefix: (B, n_outputs)."""
    states, _ = model.prediction_states(tokens, prefixes.n_words)
    last = np.cumsum(prefixes.n_words + 1) - 1
    rows = uploaded(predictions_by_sentence(prefixes.n_words)[last], states.device)
    return model.scores(states.index_select(0, rows)).log_softmax(1)
