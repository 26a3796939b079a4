"""The vocabulary of an embedding: counted from docs, or read from a file."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import srsly
from spacy.attrs import ORTH, intify_attr
from spacy.tokens import Doc


def count_vocabulary(docs: Iterable[Doc], pos_attr: str) -> dict[str, Any]:
    """Count the words of a training text for an embedding, and collect its tags."""
    words: Counter[str] = Counter()
    tags: set[str] = set()
    for doc in docs:
        strings = doc.vocab.strings
        words.update({strings[key]: n for key, n in doc.count_by(ORTH).items() if key})
        tags.update(strings[key] for key in doc.count_by(intify_attr(pos_attr)) if key)
    return {"words": dict(sorted(words.items())), "tags": sorted(tags)}


def read_vocabulary(path: Path) -> dict[str, Any]:
    """Read the result of :func:`count_vocabulary` from a JSON file. Raises ValueError."""
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
    frequent = sorted((-n, word) for word, n in counts.items() if n >= min_freq)
    return {word: -n for n, word in frequent[: max_words or None]}


def characters_of(words: Iterable[str]) -> list[str]:
    """The characters of at least two words, sorted: those of one word stand for unknown ones."""
    counts = Counter(character for word in words for character in set(word))
    return sorted(character for character, n in counts.items() if n > 1)
