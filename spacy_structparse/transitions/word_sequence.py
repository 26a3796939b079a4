"""The words of a sentence in another language, and its end, as a sequence of actions.

The interface is that of linearizations, so that one decoder and one beam write both. There is no
tree and so no stack: a decoder of words has probabilistic attention or none.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from torch import Tensor

from .constituency.interface import HOST, IDLE, Actions
from .constituency.unconstrained import UnconstrainedState, unconstrained

END = IDLE
UNKNOWN = 1
MORE_WORDS = 10  # that an output may have beyond its share of the sentence's


class WordSequence(Actions):
    """Words as actions; END is action 0, the unknown word action 1.

    Args:
        words: The known words. All others are the unknown word, which is learned from but never
            written.
        max_ratio: An output is cut off after this many words for each word read, and ten.
    """

    name = "words"

    def __init__(self, words: Iterable[str], max_ratio: float = 2.0) -> None:
        self.names = ["</s>", "<unk>", *words]
        self.max_ratio = max_ratio
        self._ids = {word: i for i, word in enumerate(self.names) if i > UNKNOWN}

    def oracle(self, words: Sequence[str]) -> list[int]:
        """Find the actions that write words, END last."""
        return [*(self._ids.get(word, UNKNOWN) for word in words), END]

    def words(self, actions: Sequence[int]) -> list[str]:
        """The words of actions, up to the first END."""
        return [self.names[i] for i in self.strip_padding(np.asarray(actions)) if i != END]

    def max_steps(self, n: int) -> int:
        """The largest number of actions for a sentence of n words, END included."""
        return int(self.max_ratio * n) + MORE_WORDS

    def initial(
        self,
        lengths: Sequence[int],
        symbols: Sequence[Sequence[str]] | None = None,
        like: Tensor = HOST,
    ) -> UnconstrainedState:
        """The state before the first word; symbols are not read."""
        return unconstrained(self, lengths, like, never=[UNKNOWN])
