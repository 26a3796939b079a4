"""The nearest words in learned embeddings (Ma et al. 2017, Table 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np
import torch
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

from .torch_model import TorchModule

Metric = Literal["cosine", "euclidean"]
METRICS: tuple[Metric, ...] = ("euclidean", "cosine")


class UnknownWordError(ValueError):
    """A word that has no embedding of its own."""


@dataclass(frozen=True)
class LearnedWords:
    """The words that a model has learned. words: N. table: (N, width). attr: the token attribute
    that tells words apart. once: (N,) bool, which words the training data had only once."""

    words: list[str]
    table: np.ndarray
    attr: str
    once: np.ndarray

    def key(self, vocab: Vocab, word: str) -> str:
        """What the model calls a word: its text, or its norm, … where `attr` says so."""
        return vocab.strings[int(Doc(vocab, words=[word]).to_array([self.attr]).ravel()[0])]

    def row(self, key: str) -> int:
        """The row of a word. Raises UnknownWordError, which has words of close spelling."""
        try:
            return self.words.index(key)
        except ValueError:
            close = similar_spellings(key, self.words)
            hint = f"; close to it are {', '.join(map(repr, close))}" if close else ""
            raise UnknownWordError(
                f"{key!r} is not among the {len(self.words)} words that were learned{hint}"
            ) from None

    def nearest(
        self, row: int, n: int, metric: Metric, skip_once: bool = False
    ) -> list[tuple[str, float]]:
        """The n nearest words of a row, itself left out, the nearest first, with their Euclidean
        distance or the cosine of the angle between them.

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
    """The words of the first token embedding inside a model that has a table of them, or None."""
    for node in model.walk():
        shim = node.shims[0] if node.shims else None
        if node.name != "token_embedding" or not isinstance(shim, TorchModule):
            continue
        vocabulary: dict[str, Any] = node.attrs.get("vocabulary") or {}
        words: list[str] = vocabulary.get("words", [])
        table = getattr(shim.module, "words", None) if words and shim.is_built else None
        if isinstance(table, torch.nn.Embedding):
            # Row 0 is that of unknown words.
            rows = table.weight.detach()[1:].float().cpu().numpy()
            once = np.zeros(len(words), dtype=bool)
            once[vocabulary["singletons"]] = True
            return LearnedWords(list(words), rows, shim.settings["word_attr"], once)
    return None


def similar_spellings(word: str, words: Sequence[str], n: int = 5) -> list[str]:
    """Words that are spelled like a word, those that differ in case alone first."""
    folded = word.casefold()
    same = [one for one in words if one.casefold() == folded]
    close = get_close_matches(word, words, n=n, cutoff=0.75)
    return list(dict.fromkeys([*same, *close]))[:n]
