"""What a parser did with one sentence, step by step."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..brackets import Bracket

AttentionKind = Literal["probabilistic", "deterministic", "none"]
END_SYMBOL = "</s>"
"""What the encoder reads after the last word."""


@dataclass(frozen=True)
class Trace:
    """How one sentence of n words was parsed, in T actions.

    words: the n words. actions: T, ids of the linearization's actions; names: T, what they are
    called.
    log_probs: (T,) the log probability of each action taken.
    attention: (T, n+1) how much each position got before each action, the last column for the
        encoder's end symbol. Rows sum to 1 for probabilistic attention; for deterministic each of
        the k positions attended to has 1/k, one attended to twice has twice that; all is 0 without
        attention.
    kind: which attention it is.
    brackets: the finished tree, in pre-order.
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
        """n+1, what the columns of `attention` stand for: the words and the end symbol."""
        return [*self.words, END_SYMBOL]

    def attended(self, step: int, n: int = 5, at_least: float = 0.001) -> list[tuple[int, float]]:
        """The positions that got most before an action, with their weights, the most first: at
        most n, none below `at_least`, equal ones from the left."""
        weights = self.attention[step]
        order = np.argsort(-weights, kind="stable")[:n].tolist()
        return [(i, float(weights[i])) for i in order if weights[i] >= at_least]

    def focused(self, more_than: float = 0.9) -> float:
        """The share of steps at which one position got more than this of the attention (Ma et al.
        2017 ask in how many sentences it is above 0.8)."""
        return float((self.attention.max(axis=1) > more_than).mean())
