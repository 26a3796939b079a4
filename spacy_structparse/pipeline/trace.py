"""The record of the parse of one sentence."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..brackets import Bracket

AttentionKind = Literal["probabilistic", "deterministic", "none"]
END_SYMBOL = "</s>"
"""What the encoder reads after the last word."""


@dataclass(frozen=True)
class Trace:
    """The record of the parse of a sentence of n words, in T actions.

    Attributes:
        words: The n words.
        actions: T ids of the linearization's actions.
        names: The T names of the actions.
        log_probs: (T,) log probability of each action.
        attention: (T, n+1) weight of each position before each action, the last column being the
            encoder's end symbol. Rows of probabilistic attention sum to 1. Each of k positions of
            deterministic attention has 1/k, twice that if it is attended to twice. Without
            attention all weights are 0.
        kind: The kind of attention.
        brackets: The finished tree, in pre-order.
    """

    words: list[str]
    actions: list[int]
    names: list[str]
    log_probs: np.ndarray
    attention: np.ndarray
    kind: AttentionKind
    brackets: list[Bracket]

    @property
    def positions(self) -> list[str]:
        """The n+1 columns of `attention`: the words and the end symbol."""
        return [*self.words, END_SYMBOL]

    def attended(self, step: int, n: int = 5, at_least: float = 0.001) -> list[tuple[int, float]]:
        """The positions with the highest weights before an action, and these weights.

        Args:
            step: The action's number.
            n: The largest number of positions.
            at_least: The lowest weight.

        Returns:
            Pairs of position and weight, highest weight first, equal ones from the left.
        """
        weights = self.attention[step]
        order = np.argsort(-weights, kind="stable")[:n].tolist()
        return [(i, float(weights[i])) for i in order if weights[i] >= at_least]

    def focused(self, more_than: float = 0.9) -> float:
        """The share of steps at which one position has more than this weight.

        Ma et al. (2017) count the sentences in which it is above 0.8.
        """
        return float((self.attention.max(axis=1) > more_than).mean())
