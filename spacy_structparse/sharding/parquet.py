"""PyArrow, which reads and writes parquet files, and is an extra."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..printable import described

_ROWS = 256  # that are in memory at a time


class ParquetError(ValueError):
    """Parquet files without PyArrow."""


class DamagedParquetError(ValueError):
    """A file that is no whole parquet file. The message does not name it."""


def parquet() -> tuple[Any, Any]:
    """The modules `pyarrow` and `pyarrow.parquet`.

    Raises ParquetError, which says how to get them.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ParquetError(
            "parquet files need PyArrow: pip install 'spacy-structparse[corpus]'"
        ) from error
    return pyarrow, pyarrow.parquet


@contextmanager
def reading_parquet() -> Iterator[None]:
    """What PyArrow says of the content of a file becomes a DamagedParquetError.

    Raises:
        DamagedParquetError: It is damaged.
        OSError: It cannot be read now.
    """
    pyarrow, _ = parquet()
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise DamagedParquetError(f"it is not a whole parquet file: {described(error)}") from error


def rows_between(
    opened: Any, start: int, end: int, columns: Sequence[str] | None = None
) -> Iterator[tuple[int, Any, int]]:
    """Some rows of a file, read in a stream.

    Args:
        opened: A `pyarrow.parquet.ParquetFile`.
        start: The first row, from 0.
        end: The row after the last one.
        columns: The columns to read. None: all.

    Yields:
        The number of each row, the batch that has it and its place there.
    """
    groups: list[int] = []
    first = 0
    skipped = 0  # rows of the first group before the first row
    for group in range(opened.metadata.num_row_groups):
        after = first + opened.metadata.row_group(group).num_rows
        if first < end and start < after:
            if not groups:
                skipped = start - first
            groups.append(group)
        first = after
    if not groups:
        return
    number = start - skipped
    for batch in opened.iter_batches(_ROWS, row_groups=groups, columns=columns):
        for i in range(max(0, start - number), min(batch.num_rows, end - number)):
            yield number + i, batch, i
        number += batch.num_rows
        if number >= end:
            return
