"""Batches of texts, bounded by their characters, and zones that forget their rare words."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from spacy.language import Language
from spacy.vocab import Vocab

from ..processes import give_back_memory, memory_used

T = TypeVar("T")
Batch = TypeVar("Batch")
GIVE_BACK_ABOVE = 10**9
"""Bytes of memory above which free memory goes back to the system after a batch: asking for it
again takes a twelfth of the time of a fast parser."""
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


def in_memory_zones(
    batches: Iterable[Batch], source: Language | Vocab, *, share_strings: bool = False
) -> Iterator[Batch]:
    """Give batches one by one, each in a memory zone that ends when the next one is asked for.

    Free memory goes back to the system after each batch, once there is much.

    Args:
        batches: The batches, each of which is read in its own zone.
        source: As in `memory_zone`.
        share_strings: One zone is for all batches: all strings of a `.spacy` file come with its
            first Doc.
    """
    rest = iter(batches)
    with memory_zone(source) if share_strings else nullcontext():
        while True:
            with nullcontext() if share_strings else memory_zone(source):
                batch = next(rest, None)
                if batch is None:
                    return
                yield batch
            if memory_used() > GIVE_BACK_ABOVE:
                give_back_memory()


CHARACTERS_A_TEXT = 150
"""Characters that the texts of a full batch have on average, some 30 words. The memory for a batch
grows with its words, so that a batch of longer texts is parsed in parts."""


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
