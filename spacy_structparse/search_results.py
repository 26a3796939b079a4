"""The queries of a search beside that for the best parse, and their answers: confidence with its
calibration, and the k best parses."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# Probabilities nearer to 0 or 1 than this cannot be told from them.
_LEAST = 1e-6


@dataclass(frozen=True)
class ConfidenceQuery:
    """A request for the parse of sentences, and for how sure it is.

    Attributes:
        sentences: The query for the parse alone.
    """

    sentences: Any


@dataclass(frozen=True)
class ConfidentParse:
    """The answer.

    Attributes:
        parse: The answer to the query for the parse alone.
        confidence: Of dependencies (N, 2) float64, sentences end to end: the probability that the
            head of a word is right, and that its head and label are. The root has no label, which
            is right. Of trees the probability of each bracket, by sentence.
    """

    parse: Any
    confidence: Any


class Calibration(NamedTuple):
    """The map from a parser's probabilities p to calibrated ones, whose log odds are
    ``right * log(p) - wrong * log(1 - p) + bias``.

    This is beta calibration (Kull et al. 2017). With ``right`` and ``wrong`` equal and no bias they
    are the inverse of a temperature, which is not enough: a parser that decides step by step is
    sure of much that follows from a mistake.

    Attributes:
        right: At least 0. The smaller, the less do small probabilities count.
        wrong: At least 0. The smaller, the less does it count that a probability is almost 1.
        bias: Less than 0: the parser was too sure.
    """

    right: float = 1.0
    wrong: float = 1.0
    bias: float = 0.0

    def __call__(self, probabilities: np.ndarray) -> np.ndarray:
        """Calibrated probabilities, in the order of the given ones. NaN stays."""
        if self == Calibration():
            return probabilities
        return 1 / (1 + np.exp(-(log_terms(probabilities) @ np.array(self))))


def log_terms(probabilities: np.ndarray) -> np.ndarray:
    """(N, 3) what a calibration weighs: log(p), -log(1 - p) and 1. Finite for 0 and 1 too."""
    bounded = np.clip(probabilities, _LEAST, 1 - _LEAST)
    return np.stack([np.log(bounded), -np.log1p(-bounded), np.ones_like(bounded)], 1)


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
