"""The vocabulary of an embedding: counted from docs, read from a file, looked up by hash."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from spacy.strings import get_string_id
from spacy.tokens import Doc

UNKNOWN = 0


def count_vocabulary(docs: Iterable[Doc], word_attr: str, pos_attr: str) -> dict[str, Any]:
    """What an embedding needs to know of its training text: words with counts, and tags."""
    words: Counter[int] = Counter()
    tags: Counter[int] = Counter()
    strings = None
    for doc in docs:
        strings = doc.vocab.strings
        attrs = doc.to_array([word_attr, pos_attr]).reshape(len(doc), 2)
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
        vocabulary: What is stored.
        rows: The number of rows of the tables of ``words``, ``tags`` and ``characters``, of which
            one is that of what is unknown.

    Raises:
        ValueError: It is not.
    """
    stored = vocabulary if isinstance(vocabulary, dict) else {}
    for kind, n_rows in rows.items():
        strings = stored.get(kind)
        if not isinstance(strings, list) or not all(isinstance(one, str) for one in strings):
            raise ValueError(f"the {kind} of its vocabulary are no list of strings")
        if len(strings) + 1 != n_rows:
            raise ValueError(
                f"its vocabulary has {len(strings)} {kind}, and its table {n_rows - 1}"
            )
    n_words = len(stored["words"])
    # Older vocabularies have no "without_vector".
    for kind, numbers in (
        ("singletons", stored.get("singletons")),
        ("without_vector", stored.get("without_vector", [])),
    ):
        if not isinstance(numbers, list) or not all(
            isinstance(one, int) and 0 <= one < n_words for one in numbers
        ):
            raise ValueError(f"'{kind}' of its vocabulary are no numbers of words")


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
