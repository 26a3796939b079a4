"""The vocabulary of an embedding: counted from docs, read from a file, looked up by hash."""

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.strings import get_string_id
from spacy.tokens import Doc
from thinc.api import Model

from .word_vectors import learned_rows

UNKNOWN = 0


def count_vocabulary(docs: Iterable[Doc], pos_attr: str) -> dict[str, Any]:
    """What an embedding needs to know of its training text: words with counts, and tags."""
    words: Counter[int] = Counter()
    tags: Counter[int] = Counter()
    strings = None
    for doc in docs:
        strings = doc.vocab.strings
        attrs = doc.to_array(["ORTH", pos_attr]).reshape(len(doc), 2)
        words.update(attrs[:, 0].tolist())
        tags.update(attrs[:, 1].tolist())
    if strings is None:
        return {"words": {}, "tags": []}
    tags.pop(0, None)
    return {
        "words": {strings[key]: n for key, n in sorted(words.items()) if key},
        "tags": sorted(strings[key] for key in tags),
    }


def read_vocabulary(path: Path) -> dict[str, Any]:
    """What :func:`count_vocabulary` returned, from a JSON file. Raises ValueError."""
    try:
        counted = srsly.read_json(path)
        counted["words"].items()
        list(counted["tags"])
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ValueError(
            f"TokenEmbedding: vocabulary file {path} cannot be read ({error}); make it with "
            "'spacy structparse vocabulary TRAIN.spacy OUT.json'"
        ) from error
    return counted


def most_frequent(counts: dict[str, int], min_freq: int, max_words: int) -> dict[str, int]:
    """The words that occur ``min_freq`` times or more; no more than ``max_words`` of them, unless
    that is 0, by frequency and then in alphabetical order."""
    kept = {word: n for word, n in counts.items() if n >= min_freq}
    if not max_words:
        return kept
    return {word: kept[word] for word in sorted(kept, key=lambda w: (-kept[w], w))[:max_words]}


def characters_of(words: Iterable[str]) -> list[str]:
    """The characters of at least two words, sorted: those of one word stand for unknown ones."""
    counts = Counter(character for word in words for character in set(word))
    return sorted(character for character, n in counts.items() if n > 1)


def check_vocabulary(vocabulary: Any, rows: Mapping[str, int]) -> None:
    """Check that a stored vocabulary is one, and that of an embedding.

    Args:
        vocabulary: The one that is stored.
        rows: The number of rows of the tables of ``words``, ``tags`` and ``characters``, of which
            one is that of what is unknown.

    Raises:
        ValueError: It is not.
    """
    stored = vocabulary if isinstance(vocabulary, dict) else {}
    for kind, n_rows in rows.items():
        strings = stored.get(kind)
        if not isinstance(strings, list) or not all(isinstance(one, str) for one in strings):
            raise ValueError(f"TokenEmbedding: the {kind} of its vocabulary are no list of strings")
        if len(strings) + 1 != n_rows:
            raise ValueError(
                f"TokenEmbedding: its vocabulary has {len(strings)} {kind}, its table {n_rows - 1}"
            )
    words = range(len(stored["words"]))
    for kind in ("singletons", "without_vector"):  # which older vocabularies lack
        numbers = stored.get(kind, [] if kind == "without_vector" else None)
        if not isinstance(numbers, list) or not all(type(n) is int and n in words for n in numbers):
            raise ValueError(f"TokenEmbedding: '{kind}' of its vocabulary are no numbers of words")


def hashes_of(strings: Iterable[str]) -> np.ndarray:
    """spaCy's hash of each string: (N,) uint64."""
    return np.array([get_string_id(s) for s in strings], dtype=np.uint64)


def codes_of(strings: Iterable[str]) -> np.ndarray:
    """The code point of each character of strings end to end: (C,) uint32."""
    return np.frombuffer("".join(strings).encode("utf-32-le"), dtype=np.uint32)


class RowIndex:
    """Rows of keys, looked up for a whole batch at once. keys: (K,) of an unsigned type."""

    def __init__(self, keys: np.ndarray) -> None:
        self.rows = np.argsort(keys)
        self.keys = keys[self.rows]

    def __call__(self, keys: np.ndarray) -> np.ndarray:
        """keys: (N,). Returns (N,) rows, counted from 1; 0 for what is not known."""
        if not len(self.keys):
            return np.zeros(len(keys), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.rows[at] + 1, UNKNOWN)


START, END = "\x02", ""
N_SYMBOLS = sys.maxunicode + 2  # every character, and the end of a word


class Spelling:
    """A distribution over all strings that are outside a vocabulary.

    N-grams of characters with interpolated Witten-Bell smoothing (Witten and Bell 1991), counted
    over the words of the vocabulary, each of them once. The share of these words themselves is
    divided among all other strings.

    Args:
        words: The vocabulary.
        order: Length of the longest n-grams, at least 1.
    """

    def __init__(self, words: Collection[str], order: int) -> None:
        self.order = order
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for word in words:
            for before, character in self._steps(word):
                for start in range(len(before) + 1):
                    counts[before[start:]][character] += 1
        self.counts = {before: (of_next, of_next.total()) for before, of_next in counts.items()}
        self.outside = 1 - math.fsum(2 ** -self._bits(word) for word in words)

    def bits(self, word: str) -> float:
        """-log2 of the probability of a word outside the vocabulary."""
        return self._bits(word) + math.log2(self.outside)

    def _bits(self, word: str) -> float:
        return -math.fsum(math.log2(self._probability(*step)) for step in self._steps(word))

    def _steps(self, word: str) -> list[tuple[str, str]]:
        """Each character and the end, with the characters before it that are read."""
        marked = START + word
        return [
            (marked[max(i - self.order + 1, 0) : i], character)
            for i, character in enumerate((*word, END), start=1)
        ]

    def _probability(self, before: str, character: str) -> float:
        p = 1 / N_SYMBOLS
        for start in range(len(before), -1, -1):
            if before[start:] not in self.counts:
                break  # nor are longer ones
            of_next, n = self.counts[before[start:]]
            p = (of_next[character] + len(of_next) * p) / (n + len(of_next))
        return p


@dataclass(frozen=True)
class VocabularyIndexes:
    """The look-up tables of a vocabulary.

    Attributes:
        words, tags, characters: Rows of the tables.
        singleton: (words + 1,) whether a row of the words is that of a word seen once.
        learned: (words + 1,) the learned row of each row of the words, counted from the end of the
            tuned vectors.
    """

    words: RowIndex
    tags: RowIndex
    characters: RowIndex
    singleton: np.ndarray
    learned: np.ndarray


def vocabulary_indexes(model: Model) -> VocabularyIndexes:
    """The look-up tables of a vocabulary, made when first needed and kept with the model.

    Raises:
        ValueError: The vocabulary is not that of the embedding.
    """
    vocabulary = model.attrs["vocabulary"]
    kept = getattr(model.shims[0], "indexes", None)
    if kept is None or kept[0] is not vocabulary:
        rows = {kind: model.shims[0].cfg[f"n_{kind}"] for kind in ("words", "tags", "characters")}
        check_vocabulary(vocabulary, rows)
        singleton = np.zeros(len(vocabulary["words"]) + 1, dtype=bool)
        singleton[np.asarray(vocabulary["singletons"], dtype=np.int64) + 1] = True
        words, tags = (RowIndex(hashes_of(vocabulary[kind])) for kind in ("words", "tags"))
        characters = RowIndex(codes_of(vocabulary["characters"]))
        made = VocabularyIndexes(words, tags, characters, singleton, learned_rows(vocabulary))
        kept = (vocabulary, made)
        model.shims[0].indexes = kept  # type: ignore[attr-defined]
    return kept[1]
