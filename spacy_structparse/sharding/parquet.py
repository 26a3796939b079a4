"""PyArrow, which reads and writes parquet files, and is an extra."""

from typing import Any


class ParquetError(ValueError):
    """Parquet files without PyArrow."""


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
