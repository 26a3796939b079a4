"""What a search can be asked for beside the best parse: confidence with its calibration, and the k
best parses."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

Wanted = Literal["parse", "confidence", "k_best"]
"""The best parse, the same with its confidence, or the k best parses."""

# Probabilities nearer to 0 or 1 than this cannot be told from them.
_LEAST = 1e-6


@dataclass(frozen=True)
class ConfidentParse:
    """The best parse of sentences, and how sure it is.

    Attributes:
        parse: What a search for the parse alone finds.
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


def check_calibration(where: str, calibration: object, names: tuple[str, ...]) -> None:
    """Raise ValueError unless there are the three numbers of a Calibration for each name."""
    if not isinstance(calibration, Mapping) or set(calibration) != set(names):
        raise ValueError(f"{where} is {calibration!r}, it must be of {', '.join(names)}")
    for name, numbers in calibration.items():
        is_triple = isinstance(numbers, list | tuple) and len(numbers) == len(Calibration())
        if not is_triple or not all(map(_is_finite, numbers)) or min(numbers[:2]) < 0:
            raise ValueError(
                f"{where} of {name} is {numbers!r}, it must be three numbers, the first two of at "
                f"least 0: {', '.join(Calibration._fields)}"
            )


def _is_finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)


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
