"""The formats that parses are written in, each with its suffixes and its writer.

:func:`open_writer` opens a writer of any format, which takes one Doc at a time.
"""

import gzip
import io
import re
import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from spacy.tokens import Doc, DocBin

from ..escaping import escape_control, json_text
from ..extensions.multiword import surface_text
from ..files import written_whole
from ..input_limits import GZIP_SUFFIX
from ..viz.sentences import ParsedSentence, bracketed, parsed_sentences
from .conllu_columns import SOURCE
from .conllu_writer import ANNOTATION, conllu_blocks
from .docbins import UNSTORED, store_doc
from .document_ids import DOCUMENT, RECORD, record_of
from .pipeline_outputs import GIVEN, PipelineOutputs
from .sentence_records import sentence_records
from .sentence_tables import import_parquet, sentence_schema
from .text_readers import TEXT

STANDARD_OUTPUT = "-"
DIGITS_OF_FLOATS = 45  # after the point: all of the smallest number of 32 bits
PARAGRAPH = 20
"""Sentences in a paragraph of a treebank that has no marks of them."""
UNKNOWN_SPACES = "unknown spaces"
"""The count, in the notes of a writer, of Docs that do not say where spaces are."""
_STARTS = re.compile("^# new(doc|par)", re.MULTILINE)
GROUP_SENTENCES = 2_000
"""Sentences in a group of rows of a parquet file, or a few more: groups have whole documents."""


Format = StrEnum("Format", "conllu ptb json svg latex spacy parquet terminal text")
"""The formats of parses, by the names that the command line has for them."""
SUFFIXES = {
    Format.conllu: (".conllu", ".conll"),
    Format.ptb: (".ptb", ".mrg", ".psd"),
    Format.json: (".json", ".jsonl"),
    Format.svg: (".svg", ".html", ".htm"),
    Format.latex: (".tex",),
    Format.spacy: (".spacy",),
    Format.parquet: (".parquet",),
    Format.text: (".txt",),
}
BINARY = (Format.spacy, Format.parquet)


def format_by_suffix(output: Path) -> Format | None:
    """The format that the name of an output ends in; None if it says nothing."""
    name = output.name.removesuffix(GZIP_SUFFIX)
    return next((style for style, ends in SUFFIXES.items() if name.endswith(ends)), None)


class Writer(ABC):
    """Writes parsed Docs, one at a time.

    A subclass opens its file in the context manager `open(output, outputs, **settings)`, where the
    settings are its own, and writes the sentences of a Doc in `write_sentences`.

    Attributes:
        outputs: The annotations that are written.
        documents: The number of Docs that were written.
        sentences: The number of their sentences.
        words: The number of their words.
        without_tree: The number of sentences without a tree.
        notes: Counts of what could not be written as it stands; see `doc_to_conllu`, `UNSTORED`.
    """

    def __init__(self, outputs: PipelineOutputs) -> None:
        self.outputs = outputs
        self.documents = self.sentences = self.words = self.without_tree = 0
        self.notes: Counter[str] = Counter()

    def write(self, doc: Doc, name: str = "") -> list[ParsedSentence]:
        """Write a Doc, and return its sentences. Raises OSError.

        name: the beginning of the ids of sentences without one. Empty: the number of the Doc, from
        1.
        """
        outputs = self.outputs
        sentences = parsed_sentences(doc, trees=outputs.trees, spans_key=outputs.spans_key)
        self.documents += 1
        self.sentences += len(sentences)
        self.words += sum(len(sentence.words) for sentence in sentences)
        self.without_tree += sum(sentence.tree is None for sentence in sentences)
        self.write_sentences(doc, sentences, name or str(self.documents))
        return sentences

    @classmethod
    @abstractmethod
    def open(
        cls, output: Path, outputs: PipelineOutputs, **settings: Any
    ) -> AbstractContextManager["Writer"]:
        """Open a file, as `open_writer` does."""

    @abstractmethod
    def write_sentences(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> None:
        """Write a Doc with these sentences."""


class TextWriter(Writer):
    """Writes text; a subclass gives that of a Doc in `texts`, and may set the text before all Docs,
    `start`, and after them, `end`.
    """

    start = end = ""

    def __init__(self, target: TextIO, outputs: PipelineOutputs) -> None:
        super().__init__(outputs)
        self.target = target

    @classmethod
    @contextmanager
    def open(cls, output: Path, outputs: PipelineOutputs, **settings: Any) -> Iterator[Writer]:
        """Open a file, compressed by gzip if it ends in `.gz`, or the standard output for `-`."""
        with open_text(output) as target:
            target.write(cls.start)
            yield cls(target, outputs, **settings)
            target.write(cls.end)

    def write_sentences(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> None:
        """Write a Doc with these sentences."""
        self.target.writelines(self.texts(doc, sentences, name))

    @abstractmethod
    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterable[str]:
        """Format a Doc with these sentences, in one or several parts."""


@contextmanager
def open_text(output: Path) -> Iterator[TextIO]:
    """A file that appears whole when the block ends, or the standard output for `-`.

    One whose name ends in `.gz` is compressed, without the time, so that equal parses are equal
    files.
    """
    if str(output) == STANDARD_OUTPUT:
        yield sys.stdout
        sys.stdout.flush()
        return
    with written_whole(output) as file, ExitStack() as opened:
        raw: Any = file
        if output.suffix == GZIP_SUFFIX:
            raw = opened.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        yield opened.enter_context(io.TextIOWrapper(raw, encoding="utf8", newline="\n"))


class ConlluWriter(TextWriter):
    """Writes CoNLL-U."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> list[str]:
        """Give a block for each sentence."""
        return conllu_of(doc, name, self.outputs, self.notes)


def conllu_of(
    doc: Doc, name: str, outputs: PipelineOutputs, notes: Counter[str] | None = None
) -> list[str]:
    """A block of CoNLL-U for each sentence, with the id and the record of the document.

    Args:
        doc: The Doc.
        name: The beginning of the ids, `NAME-1`, `NAME-2`, …, of sentences that have none.
        outputs: The annotations that are written.
        notes: Counts what could not be written as it stands; see `doc_to_conllu`.
    """
    # Without the columns put aside the Doc came from a text: all of its annotation is predicted.
    given = doc.user_data.get(GIVEN)
    blocks = conllu_blocks(
        doc,
        name,
        columns=ANNOTATION if given is None else outputs.columns,
        given=given,
        gold=outputs.gold,
        confidence=outputs.confidence,
        notes=notes,
    )
    if not blocks:
        return []
    comments = ""
    document: Any = doc.user_data.get(DOCUMENT)
    comes_with_lines = outputs.gold and SOURCE in doc.user_data
    if isinstance(document, str) and not comes_with_lines and "\n# newdoc" not in f"\n{blocks[0]}":
        comments += f"# newdoc{f' id = {escape_control(document)}' if document else ''}\n"
    if RECORD in doc.user_data and not outputs.gold:
        comments += f"# meta = {json_text(record_of(doc))}\n"
    return [comments + blocks[0], *blocks[1:]]


class BracketWriter(TextWriter):
    """Writes Penn brackets, a line a sentence."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give a line for each sentence."""
        return (f"{bracketed(sentence)}\n" for sentence in sentences)


class JsonWriter(TextWriter):
    """Writes JSON lines, a line a Doc."""

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> list[str]:
        """Give the line."""
        records = sentence_records(doc, sentences, self.outputs)
        return [json_line(doc, records, self.outputs)]


def json_line(doc: Doc, sentences: list[dict[str, Any]], outputs: PipelineOutputs) -> str:
    """The line of a Doc with the records of its sentences."""
    record = {TEXT: surface_text(doc), **record_of(doc), "sentences": sentences}
    if GIVEN in doc.user_data:
        record["given"] = [
            name
            for name, column in (("tags", "XPOS"), ("pos", "UPOS"))
            if column not in outputs.columns and any(name in sentence for sentence in sentences)
        ]
    return json_text(record) + "\n"


class RawTextWriter(TextWriter):
    """Writes the text itself, a line a paragraph, or else for each `PARAGRAPH` Docs of CoNLL-U."""

    end, space, is_marked = "\n", "", False

    def texts(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> Iterator[str]:
        """Give the text, after a line break or the space behind the Doc before it."""
        source: Any = doc.user_data.get(SOURCE)
        is_start = source is None or bool(_STARTS.search(source.get(0, "")))
        self.is_marked |= is_start
        if is_start or not (self.is_marked or (self.documents - 1) % PARAGRAPH):
            self.space = "\n"
        if self.documents > 1:
            yield self.space
        if doc.has_unknown_spaces:
            self.notes[UNKNOWN_SPACES] += 1
        yield " ".join(surface_text(doc).split("\n")).rstrip()
        self.space = doc[-1].whitespace_ if len(doc) else ""


class DocBinWriter(Writer):
    """Writes a `.spacy` file. All Docs are in memory until the end."""

    def __init__(self, outputs: PipelineOutputs) -> None:
        super().__init__(outputs)
        self._docs = DocBin(store_user_data=True)

    @classmethod
    @contextmanager
    def open(cls, output: Path, outputs: PipelineOutputs, **settings: Any) -> Iterator[Writer]:
        """Open a file, which is written at the end."""
        writer = cls(outputs)
        yield writer
        with written_whole(output) as file:
            file.write(writer._docs.to_bytes())

    def write_sentences(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> None:
        """Add a Doc."""
        doc.user_data.pop(GIVEN, None)
        if lost := store_doc(self._docs, doc):
            self.notes[UNSTORED] += lost


class ParquetWriter(Writer):
    """Writes a parquet file with a row a sentence, some thousand rows at a time."""

    def __init__(self, file: BinaryIO, outputs: PipelineOutputs) -> None:
        super().__init__(outputs)
        self._pyarrow, pq = import_parquet()
        self._table = pq.ParquetWriter(file, sentence_schema(), compression="zstd")
        self._rows: list[dict[str, Any]] = []

    @classmethod
    @contextmanager
    def open(cls, output: Path, outputs: PipelineOutputs, **settings: Any) -> Iterator[Writer]:
        """Open a file."""
        with written_whole(output) as file:
            writer = cls(file, outputs)
            with writer._table:
                yield writer
                writer._flush()

    def write_sentences(self, doc: Doc, sentences: list[ParsedSentence], name: str) -> None:
        """Add a row for each sentence; the id of a Doc that has none is its name."""
        document: Any = doc.user_data.get(DOCUMENT)
        meta: Any = doc.user_data.get(RECORD)
        # Confidence is written whenever the pipeline computes it, and that of brackets never.
        outputs = replace(self.outputs, confidence=True, trees=False)
        records = sentence_records(doc, sentences, outputs, digits=DIGITS_OF_FLOATS)
        for number, (record, sentence) in enumerate(zip(records, sentences, strict=True), 1):
            record["document"] = name if document is None else document
            record["sentence"], record["meta"] = number, meta or None
            if sentence.tree is not None:
                record["tree"] = str(sentence.tree)
        self._rows += records
        if len(self._rows) >= GROUP_SENTENCES:
            self._flush()

    def _flush(self) -> None:
        rows = self._pyarrow.Table.from_pylist(self._rows, schema=self._table.schema)
        self._table.write_table(rows)
        self._rows = []


def text_of(style: Format, doc: Doc, outputs: PipelineOutputs) -> str:
    """A Doc in a format of text."""
    target = io.StringIO()
    writer = WRITERS[style]
    assert issubclass(writer, TextWriter)
    writer(target, outputs).write(doc)
    return target.getvalue()


WRITERS: dict[Format, type[Writer]] = {
    Format.conllu: ConlluWriter,
    Format.ptb: BracketWriter,
    Format.json: JsonWriter,
    Format.spacy: DocBinWriter,
    Format.parquet: ParquetWriter,
    Format.text: RawTextWriter,
}
"""The formats that can be written. Commands that draw add the formats of drawings."""


def open_writer(
    style: Format, output: Path, outputs: PipelineOutputs
) -> AbstractContextManager[Writer]:
    """Open a file for Docs. It appears whole when the block ends, or not at all after an error.

    Args:
        style: The format.
        output: The file, or `-` for the standard output. Text is compressed if it ends in `.gz`.
        outputs: The annotations that are written.

    Raises:
        ReadError: PyArrow is missing for parquet files.
        OSError: It cannot be written.
    """
    return WRITERS[style].open(output, outputs)
