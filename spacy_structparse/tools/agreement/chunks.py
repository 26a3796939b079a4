"""Chunks of documents, and of the sentences that a parser has found in them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from spacy.tokens import Doc, DocBin

from ...corpora.docbins import subset_of
from .parts import empty_docbin


class Source(NamedTuple):
    """A document of the corpus.

    Attributes:
        text: A text, or a Doc with tokens, which are kept, and with sentence starts or without; for
            a worker process, its bytes.
        genre: The genre that it is counted with.
        place: What it is called in the report.
        error: Why it could not be read. Empty: it could.
    """

    text: str | Doc | bytes
    genre: str
    place: str
    error: str = ""


class Sentence(NamedTuple):
    """What is known of a sentence beside its parse.

    Attributes:
        words: The number of its words.
        genre: The genre of its document.
        place: What that is called in the report.
        keys: Its keys among those of duplicates.
        confidence: How sure the first parser is of it, if that is asked.
    """

    words: int
    genre: str
    place: str
    keys: Sequence[int]
    confidence: float | None


@dataclass
class Chunk:
    """The sentences of a chunk of documents.

    Attributes:
        docs: Their parses by the first parser, a Doc each; on the way between processes, a DocBin.
        sentences: What else is known of each.
        documents: The number of documents.
        failed: Descriptions of those that failed.
    """

    docs: list[Doc] | DocBin = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    documents: int = 0
    failed: list[str] = field(default_factory=list)

    def subset(self, numbers: Sequence[int]) -> "Chunk":
        """Some of the sentences, by their places, without the counts of documents."""
        docs = self.docs
        return Chunk(
            subset_of(docs, numbers) if isinstance(docs, DocBin) else [docs[i] for i in numbers],
            [self.sentences[i] for i in numbers],
        )

    def packed(self) -> "Chunk":
        """The chunk with its Docs in a DocBin."""
        if isinstance(self.docs, DocBin):
            return self
        packed = empty_docbin()
        for doc in self.docs:
            packed.add(doc)
        return replace(self, docs=packed)


class Compared(NamedTuple):
    """What came of the sentences of a chunk.

    Attributes:
        sentences: The sentences.
        outcomes: Of each, `AGREED`, `DISAGREED`, or why another parser failed on it.
        docs: Those that agreed.
    """

    sentences: Sequence[Sentence]
    outcomes: Sequence[str]
    docs: DocBin
