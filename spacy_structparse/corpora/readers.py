"""The kinds of files that are read, each with its suffixes and its reader.

:func:`read_docs` reads a file of any kind, one document at a time.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from spacy.language import Language

from ..input_limits import GZIP_SUFFIX
from ..trees import TreeReadError
from .chunks import Task
from .conllu import ConlluReadError
from .convert import CHUNK_SENTENCES, chunk_docs, treebank_tasks
from .docbins import DocRange, doc_ranges, docs_in
from .options import ConversionError, ConversionOptions, ReadOptions, TreebankPart
from .report import ConversionReport, Document, Place
from .sentence_tables import ParquetReader
from .text_lines import STANDARD_INPUT, TextReadError, name_of
from .text_readers import JsonReader, TextReader, WordsReader


class InputFormat(str, Enum):
    """The kinds of input files, by the names that the command line has for them."""

    conllu = "conllu"
    conll = "conll"
    conllup = "conllup"
    ptb = "ptb"
    psd = "psd"
    spacy = "spacy"
    parquet = "parquet"
    text = "text"
    jsonl = "jsonl"
    words = "words"


class Reader(Protocol):
    """Reads files of a kind: cuts them into parts, which any process can read."""

    def parts(self, path: Path, name: str, options: ReadOptions) -> Iterator[Any]:
        """Cut a file into parts of some hundred documents, which can be pickled.

        Args:
            path: A file that can be read twice; of kinds in `TEXTS` also `-` or a pipe.
            name: Its name in messages.
            options: How it is read.

        Raises:
            ReadError, OSError: It cannot be read.
        """
        ...

    def documents(
        self, part: Any, nlp: Language, options: ReadOptions, report: ConversionReport
    ) -> Iterator[Document]:
        """Read the documents of a part.

        Args:
            part: The part.
            nlp: The pipeline: its vocabulary, tokenizer and `max_length` are used.
            options: How it is read.
            report: Counts what was read, and lists what was left out.

        Raises:
            ReadError, OSError: It cannot be read.
        """
        ...


class TreebankReader:
    """Reads CoNLL-U, CoNLL-U Plus and CoNLL-X, or Penn brackets, a Doc a sentence.

    Args:
        brackets: The files have Penn brackets.
    """

    def __init__(self, *, brackets: bool) -> None:
        self._brackets = brackets

    def parts(self, path: Path, name: str, options: ReadOptions) -> Iterator[Task]:
        """Cut a file into parts of whole sentences."""
        part = TreebankPart(brackets=path) if self._brackets else TreebankPart(conllu=path)
        with _errors_named(path, name):
            for task in treebank_tasks([part], _conversion(options)):
                yield task.renamed(name)

    def documents(
        self, part: Task, nlp: Language, options: ReadOptions, report: ConversionReport
    ) -> Iterator[Document]:
        """Read the sentences of a part, as `spacy structparse convert` does."""
        with _errors_named():
            yield from chunk_docs(part, _conversion(options), nlp.vocab, report)


class DocBinReader:
    """Reads `.spacy` files."""

    def parts(self, path: Path, name: str, options: ReadOptions) -> Iterator[DocRange]:
        """Cut a file into ranges of its Docs."""
        yield from doc_ranges(path, name, CHUNK_SENTENCES)

    def documents(
        self, part: DocRange, nlp: Language, options: ReadOptions, report: ConversionReport
    ) -> Iterator[Document]:
        """Read the Docs of a range."""
        for number, doc in enumerate(docs_in(part, nlp.vocab), part.start + 1):
            yield Document(Place(part.name, 0, f"document {number}"), doc, is_annotated=True)


class _Kind(NamedTuple):
    """The reader of a kind of files, and the suffixes of their names."""

    reader: Reader
    suffixes: tuple[str, ...]
    may_be_packed: bool = True


_KINDS: dict[InputFormat, _Kind] = {
    InputFormat.conllu: _Kind(TreebankReader(brackets=False), (".conllu",)),
    InputFormat.conll: _Kind(TreebankReader(brackets=False), (".conll", ".conllx")),
    InputFormat.conllup: _Kind(TreebankReader(brackets=False), (".conllup",)),
    InputFormat.ptb: _Kind(TreebankReader(brackets=True), (".ptb", ".mrg")),
    InputFormat.psd: _Kind(TreebankReader(brackets=True), (".psd",)),
    InputFormat.spacy: _Kind(DocBinReader(), (".spacy",), may_be_packed=False),
    InputFormat.parquet: _Kind(ParquetReader(), (".parquet",), may_be_packed=False),
    InputFormat.text: _Kind(TextReader(), (".txt", ".text")),
    InputFormat.jsonl: _Kind(JsonReader(), (".jsonl",)),
    InputFormat.words: _Kind(WordsReader(), (".words", ".tok")),
}
TEXTS = (InputFormat.text, InputFormat.jsonl, InputFormat.words)
"""Kinds without annotation, which are read in a stream."""
DEPENDENCIES = (InputFormat.conllu, InputFormat.conll, InputFormat.conllup)
BRACKETS = (InputFormat.ptb, InputFormat.psd)
SHOWN_KINDS = ", ".join(f"{kind.value} ({', '.join(its.suffixes)})" for kind, its in _KINDS.items())
"""The kinds with their suffixes, for messages."""


def kind_of(name: str) -> InputFormat | None:
    """The kind of a file by the suffix of its name, in upper or lower case; None: unknown."""
    lowered = name.lower()
    plain = lowered.removesuffix(GZIP_SUFFIX)
    for kind, (_, suffixes, may_be_packed) in _KINDS.items():
        if (plain if may_be_packed else lowered).endswith(suffixes):
            return kind
    return None


def reader_of(kind: InputFormat) -> Reader:
    """The reader of a kind of files."""
    return _KINDS[kind].reader


def read_docs(
    source: Path,
    nlp: Language,
    report: ConversionReport,
    *,
    kind: InputFormat | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 it cannot be changed
    name: str | None = None,
) -> Iterator[Document]:
    """Read the unparsed documents of a file, one after the other.

    Args:
        source: The file, or `-` for the standard input.
        nlp: The pipeline: its vocabulary, tokenizer and `max_length` are used.
        report: Counts what was read, and lists what was left out: a bad document costs itself.
        kind: The kind of the file. None: that of its suffix, or else text.
        options: How it is read.
        name: The name of the file in messages and places. None: its path.

    Raises:
        ReadError: The file is damaged, or not of its kind: not one sentence can be read.
        OSError: It cannot be read.
    """
    kind = kind or kind_of(source.name) or InputFormat.text
    reader = reader_of(kind)
    name = name or name_of(source)
    found = ConversionReport()
    try:
        with nullcontext(source) if kind in TEXTS else readable_twice(source) as path:
            for part in reader.parts(path, name, options):
                yield from reader.documents(part, nlp, options, found)
    finally:
        report += found
    check_readable(found, name, kind)


def check_readable(report: ConversionReport, name: str, kind: InputFormat) -> None:
    """Raise ConversionError if none of the sentences of a whole treebank file could be read."""
    # A sentence that conflicts was read, so the file is of its kind.
    is_read = report.counts["sentences_written"] or any(
        problem.is_conflict for problem in report.problems
    )
    if report.counts["sentences_skipped"] and not is_read:
        shown = "Penn brackets" if kind in BRACKETS else "CoNLL-U"
        raise ConversionError(
            f"No sentence of {name} could be read as {shown}. The first problem: "
            f"{report.problems[0]}"
        )


@contextmanager
def readable_twice(source: Path) -> Iterator[Path]:
    """A plain file with the content of an input: of the standard input or a pipe it is a copy."""
    if str(source) != STANDARD_INPUT and source.is_file():
        yield source
        return
    with tempfile.NamedTemporaryFile() as copy:
        try:
            if str(source) == STANDARD_INPUT:
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with source.open("rb") as stream:
                    shutil.copyfileobj(stream, copy)
        except OSError as error:
            raise TextReadError(f"{name_of(source)}: {error.strerror or error}") from error
        copy.flush()
        yield Path(copy.name)


def _conversion(options: ReadOptions) -> ConversionOptions:
    return ConversionOptions(
        bad_heads="skip" if options.to_complete else "words",
        labels=options.labels,
        split_lemmas=options.split_lemmas,
    )


@contextmanager
def _errors_named(path: Path | None = None, name: str = "") -> Iterator[None]:
    """Errors of a treebank become ConversionErrors that name the input, and not a copy of it."""
    try:
        yield
    except (ConlluReadError, TreeReadError) as error:
        message = str(error) if path is None else str(error).replace(str(path), name)
        raise ConversionError(message) from error
