"""A sentence of another language as a sequence of actions: its words, one by one, and its end.

The same interface as the linearizations of trees, so that one decoder and one beam write both. No
tree, and so no stack: a decoder of words attends probabilistically or not at all.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from .constituency.interface import IDLE
from .constituency.unconstrained import UnconstrainedState, unconstrained

END = IDLE
UNKNOWN = 1
MORE_WORDS = 10  # that an output may have beyond its share of the sentence's


class WordSequence:
    """Words as actions; END is action 0, the unknown word action 1.

    words: those told apart, all others being the unknown word, which is learned from but never
    written. max_ratio: an output is cut off after so many words for each word that is read, and
    ten.
    """

    name = "words"

    def __init__(self, words: Iterable[str], max_ratio: float = 2.0) -> None:
        self.names = ["</s>", "<unk>", *words]
        self.max_ratio = max_ratio
        self._ids = {word: i for i, word in enumerate(self.names) if i > UNKNOWN}

    def __len__(self) -> int:
        return len(self.names)

    def oracle(self, words: Sequence[str]) -> list[int]:
        """The actions that write words, END last."""
        return [*(self._ids.get(word, UNKNOWN) for word in words), END]

    def words(self, actions: Sequence[int]) -> list[str]:
        """What actions write, up to the first END."""
        return [self.names[i] for i in self.strip_padding(np.asarray(actions)) if i != END]

    def strip_padding(self, actions: np.ndarray) -> np.ndarray:
        """The actions up to the first END."""
        ends = np.flatnonzero(actions == END)
        return actions[: ends[0] + 1] if len(ends) else actions

    def max_steps(self, n: int) -> int:
        """The most actions for a sentence of n words, END counted."""
        return int(self.max_ratio * n) + MORE_WORDS

    def initial(
        self,
        lengths: Sequence[int],
        device: Any = "cpu",
        symbols: Sequence[Sequence[str]] | None = None,
    ) -> UnconstrainedState:
        """The state before the first word. lengths: (B,) words read, at least one each."""
        return unconstrained(self, lengths, torch.device(device), never=[UNKNOWN])
