"""The nearest words in learned embeddings (Ma et al. 2017, Table 5)."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np
import torch
from thinc.api import Model

from ..nn.fast.device import to_numpy
from .torch_model import TorchModule

Metric = Literal["cosine", "euclidean"]
METRICS: tuple[Metric, ...] = ("euclidean", "cosine")


@dataclass(frozen=True)
class LearnedWords:
    """The words that a model has learned.

    Attributes:
        words: The N words.
        table: (N, width) their embeddings.
        once: (N,) bool, True for words that the training data had only once.
    """

    words: list[str]
    table: np.ndarray
    once: np.ndarray

    def row(self, word: str) -> int:
        """Return the row of a word. Raises ValueError, which has words of close spelling."""
        if word in self.words:
            return self.words.index(word)
        same = [other for other in self.words if other.casefold() == word.casefold()]
        close = dict.fromkeys([*same, *get_close_matches(word, self.words, 5, cutoff=0.75)])
        hint = f"; close to it are {', '.join(map(repr, close))}" if close else ""
        raise ValueError(
            f"{word!r} is not among the {len(self.words)} words that were learned{hint}"
        )

    def nearest(
        self, row: int, n: int, metric: Metric, skip_once: bool = False
    ) -> list[tuple[str, float]]:
        """Return the n nearest words of a row, itself left out, the nearest first, with their
        Euclidean distance or the cosine of the angle between them.

        skip_once: leave out words seen once, whose embeddings have hardly left their random start.
        """
        table = self.table.astype(np.float64)
        if metric == "cosine":
            lengths = np.linalg.norm(table, axis=1)
            values = table @ table[row] / np.maximum(lengths * lengths[row], 1e-12)
            order = np.argsort(-values, kind="stable")
        else:
            values = np.linalg.norm(table - table[row], axis=1)
            order = np.argsort(values, kind="stable")
        left_out = self.once & skip_once
        left_out[row] = True
        nearest = order[~left_out[order]][:n].tolist()
        return [(self.words[i], float(values[i])) for i in nearest]


def learned_words(model: Model) -> LearnedWords | None:
    """Return the words of the first token embedding in a model with a table of them, or None."""
    for node in model.walk():
        shim = node.shims[0] if node.shims else None
        if node.name != "token_embedding" or not isinstance(shim, TorchModule):
            continue
        vocabulary: dict[str, Any] = node.attrs.get("vocabulary") or {}
        words: list[str] = vocabulary.get("words", [])
        table = getattr(shim.module, "words", None) if words and shim.is_built else None
        if isinstance(table, torch.nn.Embedding):
            # Row 0 is that of unknown words.
            rows = to_numpy(table.weight.detach()[1:].float())
            once = np.zeros(len(words), dtype=bool)
            once[vocabulary["singletons"]] = True
            return LearnedWords(list(words), rows, once)
    return None
