"""The files that parses of a shard are written to."""

import gzip
import io
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from typing import Any, BinaryIO, TextIO

from spacy.tokens import Doc, DocBin

from ..corpora.docbins import UNSTORED, store_doc
from ..corpora.document_ids import DOCUMENT
from ..corpora.given_columns import GIVEN
from ..corpora.json_lines import RECORD
from ..corpora.pipeline_outputs import PipelineOutputs, conllu_of
from ..extensions.confidence import ARC_NAMES
from ..viz.sentences import (
    ParsedSentence,
    bracketed,
    confidence_records,
    dependency_record,
    tree_record,
    word_records,
)
from . import storage
from .parquet import parquet

_GROUP = 10_000  # sentences of a row group of a parquet file

Write = Callable[[Doc, list[ParsedSentence], str], object]
"""Takes a Doc, its sentences and its id."""


class ShardFormat(str, Enum):
    """The formats of parses, by the names that the command line has for them."""

    spacy = "spacy"
    parquet = "parquet"
    conllu = "conllu"
    ptb = "ptb"

    @property
    def suffix(self) -> str:
        """The ending of files: text is compressed."""
        return f".{self.value}" if self in _BINARY else f".{self.value}.gz"


_BINARY = (ShardFormat.spacy, ShardFormat.parquet)


@contextmanager
def open_output(
    style: ShardFormat, path: str, gives: PipelineOutputs, notes: Counter[str], shard: int
) -> Iterator[Write]:
    """A function that writes a Doc. The file appears whole when the block ends, or not at all if
    it ends in an error.

    Args:
        style: The format.
        path: The file.
        gives: The annotations that are written.
        notes: Counts what cannot be written as it stands; see `doc_to_conllu` and `UNSTORED`.
        shard: The number of the shard, with which the ids of its sentences in CoNLL-U begin.

    Raises:
        OSError: It cannot be written.
    """
    with storage.written(path) as file:
        if style is ShardFormat.spacy:
            docs = DocBin(store_user_data=True)
            yield lambda doc, sentences, document: _store(docs, doc, document, notes)
            file.write(docs.to_bytes())
        elif style is ShardFormat.parquet:
            with _Table(file, gives) as table:
                yield table.add
        elif style is ShardFormat.ptb:
            with _packed(file) as text:
                yield lambda doc, sentences, document: text.writelines(
                    f"{bracketed(sentence)}\n" for sentence in sentences
                )
        else:
            with _packed(file) as text:
                yield _ConlluWriter(text, gives, notes, shard).add


@contextmanager
def _packed(file: BinaryIO) -> Iterator[TextIO]:
    """Text that is written compressed, without the time, so that equal parses are equal files."""
    with (
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf8", newline="\n") as text,
    ):
        yield text


def _store(docs: DocBin, doc: Doc, document: str, notes: Counter[str]) -> None:
    doc.user_data.pop(GIVEN, None)
    doc.user_data[DOCUMENT] = document
    lost = store_doc(docs, doc)
    if lost:
        notes[UNSTORED] += lost


class _ConlluWriter:
    """CoNLL-U, with the ids of documents in comments."""

    def __init__(
        self, text: TextIO, gives: PipelineOutputs, notes: Counter[str], shard: int
    ) -> None:
        self._text, self._gives, self._notes, self._shard = text, gives, notes, shard
        self._number = 0

    def add(self, doc: Doc, sentences: list[ParsedSentence], document: str) -> None:
        self._number += 1
        doc.user_data[DOCUMENT] = document
        blocks = conllu_of(doc, f"{self._shard}-{self._number}", self._gives, self._notes)
        self._text.writelines(blocks)


class _Table:
    """A parquet file with a row a sentence."""

    def __init__(self, file: BinaryIO, gives: PipelineOutputs) -> None:
        pyarrow, pq = parquet()
        text, number, share = pyarrow.string(), pyarrow.int32(), pyarrow.float32()
        columns = {
            "document": text,
            "sentence": number,
            "text": text,
            "words": pyarrow.list_(text),
            "tags": pyarrow.list_(text),
            "pos": pyarrow.list_(text),
            "heads": pyarrow.list_(number),
            "deps": pyarrow.list_(text),
            "tree": text,
            "parse_confidence": share,
            **{name: pyarrow.list_(share) for name in ARC_NAMES},
            "meta": text,
        }
        self._pyarrow, self._gives = pyarrow, gives
        self._schema = pyarrow.schema(list(columns.items()))
        self._writer = pq.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def __enter__(self) -> "_Table":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self._write()
            self._writer.close()
            return
        with suppress(Exception):  # the file is thrown away
            self._writer.close()

    def add(self, doc: Doc, sentences: list[ParsedSentence], document: str) -> None:
        meta: Any = doc.user_data.get(RECORD)
        records = word_records(doc, sentences)
        sure = confidence_records(doc, sentences, heads=self._gives.heads)
        found = zip(records, sentences, sure, strict=True)
        for number, (record, sentence, confidence) in enumerate(found, 1):
            row = {
                "document": document,
                "sentence": number,
                **{key: record.get(key) for key in ("text", "words", "tags", "pos")},
                **confidence,
                "meta": meta or None,
            }
            if self._gives.heads:
                row |= dependency_record(sentence)
            if self._gives.trees:
                row["tree"] = tree_record(sentence.tree)["tree"]
            self._rows.append(row)
        if len(self._rows) >= _GROUP:
            self._write()

    def _write(self) -> None:
        rows = self._pyarrow.Table.from_pylist(self._rows, schema=self._schema)
        self._writer.write_table(rows)
        self._rows = []
