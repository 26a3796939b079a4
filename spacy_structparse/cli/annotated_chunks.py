"""Inputs with annotation, cut into parts that any process can read."""

from collections.abc import Iterator
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.convert import CHUNK_SENTENCES
from ..corpora.docbins import DocRange, doc_ranges, docs_in
from ..corpora.options import Labels
from ..corpora.report import ConversionReport
from ..corpora.treebank_docs import TreebankChunk, sentences_in, treebank_chunks
from ..sharding.sentences import Rows, docs_of_rows, document_rows
from .input_formats import BRACKETS, InputFormat

Chunk = TreebankChunk | DocRange | Rows


def chunks_of(
    path: Path,
    name: str,
    kind: InputFormat,
    labels: Labels,
    *,
    split_lemmas: bool = False,
    to_complete: bool = False,
) -> Iterator[Chunk]:
    """The parts of a file, each of some hundred sentences or documents.

    Args:
        path: A file that can be read more than once.
        name: Its name in messages.
        kind: Its kind, which has annotation.
        labels, split_lemmas: Of the brackets of treebanks, as in `ConversionOptions`.
        to_complete: The annotation is to be completed, as `treebank_chunks` and `document_rows`
            have it.

    Raises:
        DocBinError, ConversionError, SentenceTableError, ParquetError: It cannot be read.
    """
    if kind is InputFormat.spacy:
        yield from doc_ranges(path, name, CHUNK_SENTENCES)
    elif kind is InputFormat.parquet:
        yield from document_rows(path, name, CHUNK_SENTENCES, to_complete=to_complete)
    else:
        yield from treebank_chunks(
            path,
            name,
            brackets=kind in BRACKETS,
            labels=labels,
            split_lemmas=split_lemmas,
            to_complete=to_complete,
        )


def docs_of_chunk(chunk: Chunk, vocab: Vocab, report: ConversionReport) -> Iterator[Doc]:
    """The Docs of a part.

    Args:
        chunk: The part.
        vocab: The vocabulary of the Docs.
        report: What was read and left out is added to it.

    Raises:
        DocBinError, ConversionError, SentenceTableError: It cannot be read.
    """
    if isinstance(chunk, TreebankChunk):
        yield from sentences_in(chunk, vocab, report)
    elif isinstance(chunk, Rows):
        yield from docs_of_rows(chunk, vocab, report)
    else:
        yield from docs_in(chunk, vocab)
