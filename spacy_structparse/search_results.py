"""One search for all parsers: the sentences that it is given, its answers, and the calibration of
their confidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np

# Probabilities nearer to 0 or 1 than this cannot be told from them.
_LEAST = 1e-6


@dataclass(frozen=True)
class Sentences:
    """B sentences to be parsed, longest first.

    Attributes:
        n_words: (B,) words of each.
        constraints: For each sentence what is known of its parse, which a search keeps; None where
            nothing is, of one or of all.
        symbols: For each sentence the words' symbols, if the parser's actions read any.
    """

    n_words: np.ndarray
    constraints: Sequence[Any] | None = None
    symbols: Sequence[Sequence[str]] | None = None


class Search(Protocol):
    """The search of a parser for the parses of sentences.

    What its answers share is computed once, when the first of them is asked for.
    """

    def best(self) -> Any:
        """Return the best parses: :class:`Arcs` of dependencies, :class:`Derivations` of trees."""

    def confidence(self) -> Any:
        """Return how sure the best parses are.

        Of dependencies (N, 2) float64, sentences end to end: the probability that the head of a
        word is right, and that its head and label are. The root has no label, which is right. Of
        trees the probability of each bracket, by sentence.
        """

    def k_best(self, k: int, beam_width: int) -> Sequence[Any]:
        """Return several parses of each sentence, best first, or the hypotheses that they are of.

        Args:
            k: The number of parses.
            beam_width: Hypotheses kept by a parser that decodes by actions.
        """


class Arcs(NamedTuple):
    """The arcs of sentences end to end.

    Attributes:
        heads: (N,) heads within each sentence, the root its own.
        labels: (N,) indices of labels, -1 at the root.
    """

    heads: np.ndarray
    labels: np.ndarray


class ScoredArcs(NamedTuple):
    """The best trees of a sentence of n words, best first.

    Attributes:
        heads: (K, n) heads within the sentence, the root its own.
        labels: (K, n) indices of labels, -1 at the root.
        log_probs: (K,) log probabilities.
    """

    heads: np.ndarray
    labels: np.ndarray
    log_probs: np.ndarray


class Derivations(NamedTuple):
    """Sequences of actions: the best of each sentence, or several of one, best first.

    Attributes:
        actions: The actions of each.
        log_probs: The log probability of each; 0 without a beam.
    """

    actions: list[np.ndarray]
    log_probs: np.ndarray


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
