"""Batches of texts, bounded by their characters too."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

CHARACTERS_A_TEXT = 150
"""Characters that the texts of a full batch have on average, some 30 words. The memory for a batch
grows with its words, so that a batch of longer texts is parsed in parts."""
T = TypeVar("T")


def text_batches(
    texts: Iterable[T], most: int, length: Callable[[T], int] | None = None
) -> Iterator[list[T]]:
    """Cut a stream of texts into batches. No text is read before its batch is asked for.

    Args:
        texts: The texts.
        most: Texts a batch. It ends earlier with the text that makes it as long as so many texts of
            `CHARACTERS_A_TEXT`.
        length: The length of a text. None: `len`, of a Doc its tokens.
    """
    size: Callable[[Any], int] = length or len
    batch: list[T] = []
    characters = 0
    for text in texts:
        batch.append(text)
        characters += size(text)
        if len(batch) >= most or characters >= most * CHARACTERS_A_TEXT:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
