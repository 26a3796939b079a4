"""The query for the k best parses, and the parses that answer it."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class KBestQuery:
    """A request for the k best parses of sentences.

    Attributes:
        sentences: The query for the best parse.
        k: The number of parses.
        beam_width: Hypotheses that a parser keeps which decodes by actions.
    """

    sentences: Any
    k: int
    beam_width: int


@dataclass(frozen=True)
class Hypotheses:
    """All hypotheses in which a beam ends.

    Attributes:
        actions: For each sentence those of its hypotheses, best first.
        log_probs: For each sentence the log probability of each of them.
    """

    actions: list[list[np.ndarray]]
    log_probs: list[np.ndarray]


@dataclass(frozen=True)
class KBestHeads:
    """The best trees of a sentence of n words, best first.

    Attributes:
        heads: (K, n) heads within the sentence, the root its own.
        labels: (K, n) indices of labels, -1 at the root.
        log_probs: (K,) log probabilities.
    """

    heads: np.ndarray
    labels: np.ndarray
    log_probs: np.ndarray
