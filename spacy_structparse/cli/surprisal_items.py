"""Items of a reading study in a table: sentences whose words and regions are given."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import ReadError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
TEXT, REGION = "text", "region"
# Lines of one region each that agree in these columns are one sentence.
IDENTIFIERS = ("item", "condition")


class Item(NamedTuple):
    """A sentence of a table.

    Attributes:
        words: Its words.
        cells: For each word the cells of its line in the table, by column, without the text.
    """

    words: list[str]
    cells: list[dict[str, str]]


def read_items(path: Path) -> list[Item]:
    """Read a table whose column `text` has words with spaces between them.

    With a column `region`, lines in a row with the same `item` and `condition` are the regions of
    one sentence. Without it each line is a sentence.

    Args:
        path: A .csv or .tsv file, whose first line names the columns.

    Raises:
        ReadError: The file cannot be read, is no such table, or a line has no words or other
            columns than the first line, or a region that its sentence has already.
    """
    if path.suffix not in DELIMITERS:
        raise ReadError(f"{path} is not a table: its name ends in none of .csv, .tsv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter=DELIMITERS[path.suffix], strict=True)
        try:
            items = list(_items(reader))
        except (csv.Error, ValueError) as error:
            raise ReadError(f"{path}, line {max(reader.line_num, 1)}: {error}") from error
    if not items:
        raise ReadError(f"{path} has no items")
    return items


def _items(lines: csv.DictReader) -> Iterator[Item]:
    """Raise ValueError for a line that cannot be read; `lines.line_num` is its number."""
    columns = list(lines.fieldnames or ())
    if TEXT not in columns or len(set(columns)) < len(columns):
        raise ValueError(f"columns must be distinct, and one of them {TEXT!r}: {columns}")
    item, previous = Item([], []), None
    regions: set[str] = set()
    for cells in lines:
        if None in cells or None in cells.values():
            raise ValueError(f"there are not {len(columns)} cells")
        words = cells.pop(TEXT).split()
        if not words:
            raise ValueError(f"{TEXT!r} has no words")
        region = cells.get(REGION)
        identity = None if region is None else [cells.get(name) for name in IDENTIFIERS]
        if item.words and (identity is None or identity != previous):
            yield item
            item, regions = Item([], []), set()
        if region in regions:
            raise ValueError(f"region {region!r} comes twice in one {' and '.join(IDENTIFIERS)}")
        if region is not None:
            regions.add(region)
        previous = identity
        item.words.extend(words)
        item.cells.extend([cells] * len(words))
    if item.words:
        yield item
