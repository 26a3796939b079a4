"""The documents of a shard, read in a stream."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.docbins import DocBinError, read_docs
from ..corpora.json_lines import JsonLineError, record_json, record_of, text_and_record
from ..corpora.text_lines import ParagraphEnd, Utf16Error, not_utf8, split_texts, without_mark
from ..input_limits import UnpackError, gzip_lines
from ..printable import described
from . import storage
from .inputs import Kind, is_packed
from .parquet import DamagedParquetError, parquet, reading_parquet, rows_between
from .shards import Piece, Shard, is_blank


class ShardReadError(ValueError):
    """An input that could not be read now, and may be another time."""


@dataclass(frozen=True)
class Document:
    """A document to be parsed.

    Attributes:
        id: The name of its input and its place there: its first byte, its row, or its number.
        source: Its text, or its words as a Doc.
        record: Other values that came with it, as JSON. Empty: there were none.
        size: The bytes of the input that are its share.
    """

    id: str
    source: str | Doc
    record: str = ""
    size: int = 0


@dataclass(frozen=True)
class BadDocument:
    """A document that cannot be read. Without an id: the rest of the input."""

    input: str
    id: str | None
    message: str
    size: int = 0


def read_shard(
    shard: Shard, vocab: Vocab, paragraphs: ParagraphEnd, column: str
) -> Iterator[Document | BadDocument]:
    """Read the documents of a shard, one after the other.

    Args:
        shard: The shard.
        vocab: The vocabulary of Docs that are read.
        paragraphs: What ends a document of a text file.
        column: The column of parquet files with the texts.

    Raises:
        ShardReadError: An input cannot be read, for a reason that is not in its content.
    """
    readers: dict[Kind, Callable[[Piece], Iterator[Document | BadDocument]]] = {
        Kind.text: lambda piece: _texts(piece, paragraphs),
        Kind.jsonl: _objects,
        Kind.parquet: lambda piece: _rows(piece, column),
        Kind.spacy: lambda piece: _docs(piece, vocab),
    }
    for piece in shard.pieces:
        try:
            yield from readers[piece.kind](piece)
        except (_DamagedError, DamagedParquetError, Utf16Error) as error:
            yield BadDocument(piece.name, None, str(error))
        except Exception as error:  # libraries of file systems have errors of their own
            raise ShardReadError(f"{piece.name} cannot be read: {described(error)}") from error


class _DamagedError(ValueError):
    """The content of an input is not what its kind says."""


class _Line(NamedTuple):
    """A line, the byte of the text where it begins, and the bytes of the input that it took."""

    place: int
    data: bytes
    size: int


def _texts(piece: Piece, paragraphs: ParagraphEnd) -> Iterator[Document | BadDocument]:
    for lines in _grouped(_lines(piece), paragraphs):
        name, size = f"{piece.name}:{lines[0].place}", sum(line.size for line in lines)
        try:
            text = "".join(split_texts((line.data.decode().strip() for line in lines), "none"))
        except UnicodeDecodeError as error:
            yield BadDocument(piece.name, name, not_utf8(error), size)
        else:
            if text:
                yield Document(name, text, size=size)


def _objects(piece: Piece) -> Iterator[Document | BadDocument]:
    for start, data, size in _lines(piece):
        name = f"{piece.name}:{start}"
        try:
            if found := text_and_record(data):
                text, record = found
                yield Document(name, text, record_json(record), size)
        except (JsonLineError, RecursionError) as error:
            yield BadDocument(piece.name, name, described(error), size)


def _rows(piece: Piece, column: str) -> Iterator[Document | BadDocument]:
    _, pq = parquet()
    share = piece.size // max(1, piece.end - piece.start)
    with storage.open_file(piece.path) as file, reading_parquet():
        for number, batch, i in rows_between(pq.ParquetFile(file), piece.start, piece.end):
            name = f"{piece.name}:{number}"
            try:
                record = {key: batch.column(key)[i].as_py() for key in batch.schema.names}
                text = record.pop(column)
                if not isinstance(text, str):
                    found = "nothing" if text is None else f"no text, but {type(text).__name__}"
                    raise ValueError(f"column {column!r} has {found}")
            except ValueError as error:  # UnicodeDecodeError too
                yield BadDocument(piece.name, name, described(error), share)
            else:
                yield Document(name, text, record_json(record), share)


def _docs(piece: Piece, vocab: Vocab) -> Iterator[Document | BadDocument]:
    with storage.fetched_file(piece.path) as path:
        try:
            for number, doc in enumerate(read_docs(Path(path), vocab)):
                yield Document(f"{piece.name}:{number}", doc, record_json(record_of(doc)))
        except DocBinError as error:
            # It may be a copy that the message names.
            raise _DamagedError(str(error).replace(path, piece.name)) from error


def _lines(piece: Piece) -> Iterator[_Line]:
    """The lines of a piece. A byte-order mark is no part of the first."""
    with storage.open_file(piece.path) as file:
        if is_packed(piece.path):
            yield from _packed_lines(file, piece.size)
            return
        file.seek(piece.start)
        place = piece.start
        while place < piece.end and (data := file.readline()):
            line = _without_mark(place, data)
            yield _Line(place, line, len(line))
            place += len(data)


def _packed_lines(packed: BinaryIO, size: int) -> Iterator[_Line]:
    """The lines of a file of so many bytes that gzip has compressed."""
    place = read = 0
    try:
        for data in gzip_lines(packed, size):
            before, read = read, packed.tell()
            yield _Line(place, _without_mark(place, data), read - before)
            place += len(data)
    except UnpackError as error:
        raise _DamagedError(f"it cannot be unpacked: {error}") from error


def _without_mark(place: int, data: bytes) -> bytes:
    return data if place else without_mark(data)


def _grouped(lines: Iterable[_Line], end: ParagraphEnd) -> Iterator[list[_Line]]:
    """The lines of each document; blank lines are left out."""
    group: list[_Line] = []
    for line in lines:
        blank = is_blank(line.data)
        if not blank:
            group.append(line)
        if group and (end == "line" or (blank and end == "blank-line")):
            yield group
            group = []
    if group:
        yield group
