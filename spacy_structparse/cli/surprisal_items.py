"""Items of a reading study in a table: sentences whose words and regions are given."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.text_lines import TextReadError, byte_lines, not_utf8

DELIMITERS = {".csv": ",", ".tsv": "\t"}
TEXT, REGION = "text", "region"
# Lines of one region each that agree in these columns are one sentence.
IDENTIFIERS = ("item", "condition")


@dataclass
class Item:
    """A sentence of a table.

    Attributes:
        words: Its words.
        cells: For each word the cells of its line in the table, by column, without the text.
    """

    words: list[str] = field(default_factory=list)
    cells: list[dict[str, str]] = field(default_factory=list)

    def to_doc(self, vocab: Vocab) -> Doc:
        """Return a Doc of the words, which is one sentence."""
        starts: list[bool | int | None] = [n == 0 for n in range(len(self.words))]
        return Doc(vocab, words=self.words, sent_starts=starts)


def read_items(path: Path) -> list[Item]:
    """Read a table whose column `text` has words with spaces between them.

    With a column `region`, lines in a row with the same `item` and `condition` are the regions of
    one sentence. Without it each line is a sentence.

    Args:
        path: A .csv or .tsv file, whose first line names the columns.

    Raises:
        TextReadError: The file cannot be read, is no such table, or a line has no words or other
            columns than the first line, or a region that its sentence has already.
    """
    items: list[Item] = []
    previous = None
    regions: set[str] = set()
    for number, cells in _table_lines(path):
        words = cells.pop(TEXT).split()
        if not words:
            raise TextReadError(f"{path}, line {number}: {TEXT!r} has no words")
        region = cells.get(REGION)
        identity = None if region is None else [cells.get(name) for name in IDENTIFIERS]
        if identity is None or identity != previous:
            items.append(Item())
            previous, regions = identity, set()
        if region is not None and region in regions:
            raise TextReadError(
                f"{path}, line {number}: its item has region {region!r} already. "
                f"Sentences are told apart by {' and '.join(IDENTIFIERS)}"
            )
        regions.add(region or "")
        items[-1].words += words
        items[-1].cells += [cells] * len(words)
    if not items:
        raise TextReadError(f"{path} has no items")
    return items


def _table_lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The cells of each line by column, with the line's number from 1."""
    if path.suffix not in DELIMITERS:
        raise TextReadError(f"{path} is not a table: its name ends in none of .csv, .tsv")
    reader = csv.reader(_decoded_lines(path), delimiter=DELIMITERS[path.suffix], strict=True)
    try:
        columns = next(reader, [])
        if TEXT not in columns or len(set(columns)) < len(columns):
            raise TextReadError(
                f"{path}, line 1: columns must be distinct, and one of them {TEXT!r}: {columns}"
            )
        for cells in reader:
            if len(cells) not in (0, len(columns)):
                raise TextReadError(
                    f"{path}, line {reader.line_num}: {len(cells)} cells, not {len(columns)}"
                )
            if cells:
                yield reader.line_num, dict(zip(columns, cells, strict=True))
    except csv.Error as error:
        raise TextReadError(f"{path}, line {reader.line_num}: {error}") from error


def _decoded_lines(path: Path) -> Iterator[str]:
    """The lines with the white space at their ends, which may be empty cells."""
    for number, line in enumerate(byte_lines(path), start=1):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            raise TextReadError(f"{path}, line {number}: {not_utf8(error)}") from error


def tab_separated(columns: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """Write a table with tabs between its cells, after a line of its columns."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter="\t", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(lines)
    return written.getvalue()
