"""Shards: parts of a corpus of about one size, each of which is parsed by one process at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO, Literal

from ..corpora.text_lines import ParagraphEnd, is_utf16
from . import storage
from .inputs import Input, InputError, Kind, is_packed
from .parquet import parquet

_LINE = 2**20  # bytes of a line that are read at a time


@dataclass(frozen=True)
class Piece:
    """A part of an input that is read from one end to the other.

    Attributes:
        name: The name of the input.
        path: Where it is.
        kind: Its kind.
        start: The first byte; of parquet files the first row.
        end: The byte or row after the last one.
        size: The bytes of the file that are its share.
    """

    name: str
    path: str
    kind: Kind
    start: int
    end: int
    size: int


@dataclass(frozen=True)
class Shard:
    """The pieces that go into one output.

    Attributes:
        number: From 0.
        pieces: In their order.
    """

    number: int
    pieces: tuple[Piece, ...]

    @property
    def name(self) -> str:
        """The name of its output, without an ending."""
        return f"part-{self.number:06}"

    @property
    def size(self) -> int:
        """Bytes of the inputs."""
        return sum(piece.size for piece in self.pieces)


def make_shards(
    inputs: Iterable[Input], size: int, paragraphs: ParagraphEnd, column: str
) -> list[Shard]:
    """Cut inputs into shards. Small ones share a shard.

    Args:
        inputs: The inputs.
        size: The bytes of a shard. One of text or JSON lines is at most a document larger; a
            `.spacy` file, a compressed file, and a text file that is one document, are never cut.
        paragraphs: What ends a document of a text file.
        column: The column of parquet files with the texts.

    Raises:
        InputError: A parquet file has no such column.
        OSError: An input cannot be read.
    """
    shards: list[Shard] = []
    pieces: list[Piece] = []
    filled = 0
    for one in inputs:
        for piece in _pieces(one, size, paragraphs, column):
            if pieces and filled + piece.size > size:
                shards.append(Shard(len(shards), tuple(pieces)))
                pieces, filled = [], 0
            pieces.append(piece)
            filled += piece.size
    if pieces:
        shards.append(Shard(len(shards), tuple(pieces)))
    return shards


def to_json(shards: Iterable[Shard], inputs: Iterable[Input]) -> list[list[dict[str, int]]]:
    """The shards as lists of pieces, whose inputs are given by their numbers."""
    numbers = {one.name: number for number, one in enumerate(inputs)}
    return [
        [
            {
                "input": numbers[piece.name],
                "start": piece.start,
                "end": piece.end,
                "bytes": piece.size,
            }
            for piece in shard.pieces
        ]
        for shard in shards
    ]


def from_json(shards: Iterable[Iterable[Any]], inputs: list[Input]) -> list[Shard]:
    """The shards that :func:`to_json` has described."""
    return [
        Shard(number, tuple(_piece(inputs[one["input"]], one) for one in pieces))
        for number, pieces in enumerate(shards)
    ]


def is_blank(line: bytes) -> bool:
    """Whether a line of a text file has nothing but white space."""
    return not line.decode("utf8", "replace").strip()


def _piece(one: Input, described: Any) -> Piece:
    start, end, size = described["start"], described["end"], described["bytes"]
    return Piece(one.name, one.path, one.kind, start, end, size)


def _pieces(one: Input, size: int, paragraphs: ParagraphEnd, column: str) -> Iterator[Piece]:
    whole = Piece(one.name, one.path, one.kind, 0, one.size, one.size)
    is_document = one.kind is Kind.text and paragraphs == "none"
    if one.kind is Kind.parquet:
        yield from _row_pieces(one, size, column)
    elif one.kind is Kind.spacy or 0 < one.size <= size or is_document or is_packed(one.path):
        yield whole
    elif one.size:
        end: Literal["line", "blank-line"] = "line"
        if one.kind is Kind.text and paragraphs == "blank-line":
            end = "blank-line"
        with storage.open_file(one.path) as file:
            if is_utf16(file.read(2)):  # an error of its shard, which its later lines do not show
                yield whole
                return
            for start, after in _cut(file, one.size, size, end):
                yield Piece(one.name, one.path, one.kind, start, after, after - start)


def _cut(
    file: BinaryIO, total: int, size: int, ends: Literal["line", "blank-line"]
) -> Iterator[tuple[int, int]]:
    """The bytes of the parts of a file, of which each ends where a document does."""
    start = 0
    while start < total:
        after = total
        if start + size < total:
            # From the last byte on, which may be the end of a line.
            file.seek(start + size - 1)
            _skip_line(file)
            while ends == "blank-line" and (line := file.readline()) and not is_blank(line):
                pass
            after = min(file.tell(), total)
        yield start, after
        start = after


def _skip_line(file: BinaryIO) -> None:
    while (part := file.readline(_LINE)) and not part.endswith(b"\n"):
        pass


def _row_pieces(one: Input, size: int, column: str) -> Iterator[Piece]:
    pyarrow, pq = parquet()
    with storage.open_file(one.path) as file:
        try:
            opened = pq.ParquetFile(file)
            rows, columns = opened.metadata.num_rows, opened.schema_arrow.names
        except (pyarrow.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            # Not a parquet file, which is an error of its shard alone.
            yield Piece(one.name, one.path, one.kind, 0, 0, one.size)
            return
    if column not in columns:
        raise InputError(
            f"{one.name} has no column {column!r}. Name that of the texts with --column: "
            f"{', '.join(columns)}"
        )
    n_pieces = max(1, min(rows, -(-one.size // size)))
    limits = [rows * number // n_pieces for number in range(n_pieces + 1)]
    for number, (start, end) in enumerate(pairwise(limits)):
        share = one.size * (number + 1) // n_pieces - one.size * number // n_pieces
        yield Piece(one.name, one.path, one.kind, start, end, share)
