"""Files of this machine, by their paths, and elsewhere, by URLs such as `s3://…` of fsspec."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from ...errors import ReadError
from ...files import write_atomically


def is_url(path: str) -> bool:
    """Return True for the URL of a file that is not of this machine."""
    return "://" in path


def absolute(path: str) -> str:
    """Return a path that means the same in every folder; a URL stays as it is."""
    path = path.removeprefix("file://")
    return path if is_url(path) else os.path.abspath(path)


def file_system(path: str) -> tuple[Any, str]:
    """Return fsspec's file system of a path or URL, and the path in it. Raises ReadError."""
    import fsspec

    try:
        system, inside = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise ReadError(f"{path} cannot be used: {error}") from error
    system.invalidate_cache()
    return system, str(inside)


def files_in(folder: str) -> set[str]:
    """Return the files in and under a folder, hidden ones too, as paths from it on."""
    system, inside = file_system(folder)
    return {name.removeprefix(f"{inside.rstrip('/')}/") for name in system.find(inside)}


def read(path: str) -> bytes:
    """Read a small file. Raises OSError."""
    system, inside = file_system(path)
    return bytes(system.cat_file(inside))


def write(path: str, data: bytes) -> None:
    """Write a small file whole or not at all."""
    with written(path) as local:
        write_atomically(local, data)


@contextmanager
def local_copy(path: str) -> Iterator[Path]:
    """A file as one of this machine: itself, or a copy until the block ends."""
    if not is_url(path):
        yield Path(path)
        return
    system, inside = file_system(path)
    with TemporaryDirectory() as folder:
        copy = Path(folder, PurePosixPath(inside).name)
        system.get_file(inside, str(copy))
        yield copy


@contextmanager
def written(path: str) -> Iterator[Path]:
    """A path of this machine to write to, whole or not at all. For a URL it is that of a copy,
    which is stored under a temporary name when the block ends, and then moved."""
    if not is_url(path):
        yield Path(path)
        return
    system, inside = file_system(path)
    target = PurePosixPath(inside)
    with TemporaryDirectory() as folder:
        copy = Path(folder, target.name)
        yield copy
        temporary = str(target.with_name(f".{target.name}-{secrets.token_hex(8)}.partial"))
        system.makedirs(str(target.parent), exist_ok=True)
        system.put_file(str(copy), temporary)
        system.mv(temporary, inside)
