"""Files and folders written whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A temporary file beside ``path``, open for writing, that is moved into place when the block
    ends, and removed if it ends in an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """A temporary folder beside ``path``, moved into place when the block ends, and removed if it
    ends in an error. ``path`` may be an empty folder, nothing else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.mkdir()
        yield temporary
        if path.exists():
            path.rmdir()
        temporary.replace(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` whole or not at all."""
    with written_whole(path) as file:
        file.write(data)
