"""Surprisal of words, and the words that may follow a prefix."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from ..kernels.checkpointing import checkpointed
from ..kernels.device import to_host
from .batch import Prefixes, SurprisalQuery, predictions_by_sentence
from .model import ROWS_TOGETHER, PhrasalLM


@dataclass(frozen=True)
class Predicted:
    """The predictions of one sentence of n words, on the host.

    Attributes:
        surprisal: (n + 1,) nats of each word and of the end.
        weights: For t = 1, ..., n the weights (t,) of the phrases in the prediction after t words,
            in the order of the words they start with. Empty where they were not asked for.
    """

    surprisal: Tensor
    weights: list[Tensor]


def surprisals(model: PhrasalLM, tokens: Tensor, query: SurprisalQuery) -> list[Predicted]:
    """Compute -ln p of every word and every end of a sentence.

    Args:
        model: The language model.
        tokens: (N, n_input) sentences end to end, longest first.
        query: Their words.
    """
    states, weights = model.prediction_states(tokens, query.n_words)
    rows = torch.from_numpy(predictions_by_sentence(query.n_words)).to(tokens.device)
    found = checkpointed(
        lambda part, targets: cross_entropy(model.scores(part), targets, reduction="none"),
        ROWS_TOGETHER,
        states.index_select(0, rows),
        query.targets,
    )
    shown = to_host(weights) if query.phrase_weights else []
    ends = (query.n_words + 1).tolist()
    return [
        Predicted(of_one, [w[i] for w in shown[: n - 1]])
        for i, (of_one, n) in enumerate(zip(found.cpu().split(ends), ends, strict=True))
    ]


def next_word(model: PhrasalLM, tokens: Tensor, prefixes: Prefixes) -> Tensor:
    """Compute ln p of every word, and of the end, after each prefix: (B, n_outputs)."""
    states, _ = model.prediction_states(tokens, prefixes.n_words)
    last = np.cumsum(prefixes.n_words + 1) - 1
    rows = torch.from_numpy(predictions_by_sentence(prefixes.n_words)[last]).to(states.device)
    return model.scores(states.index_select(0, rows)).log_softmax(1)
