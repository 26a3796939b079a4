"""Memory zones for batches of texts, which forget all words but the frequent ones."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from spacy.language import Language
from spacy.vocab import Vocab

KEPT_WORDS = 20_000
"""Words that the vocabulary has before any is forgotten: most words of the next text are known."""


def word_zone(source: Language | Vocab) -> AbstractContextManager[Any]:
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
