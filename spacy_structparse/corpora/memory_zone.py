"""Batches of texts, bounded by their characters, and zones that forget their rare words."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from spacy.language import Language
from spacy.vocab import Vocab

KEPT_WORDS = 20_000
"""Words that the vocabulary has before any is forgotten: most words of the next text are known."""


def memory_zone(source: Language | Vocab) -> AbstractContextManager[Any]:
    """A memory zone, or none as long as the vocabulary is small.

    In a zone spaCy's tokenizer does not store what it has cut, and the vocabulary forgets every
    word that is new. A frequent word would be cut and described anew again and again, which takes
    as long as a fast parser. So the first batches are in no zone, and their words are kept.

    Args:
        source: The pipeline, or the vocabulary of Docs that are read. Docs of the vocabulary cannot
            be used after the block.
    """
    vocab = source.vocab if isinstance(source, Language) else source
    return nullcontext() if len(vocab) < KEPT_WORDS else source.memory_zone()


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
