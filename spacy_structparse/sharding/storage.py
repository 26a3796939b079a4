"""Files on this machine, by their paths, and elsewhere, by URLs such as `s3://…` that fsspec knows.

A file of this machine is written as :mod:`spacy_structparse.files` does. A file elsewhere is
written to a temporary file here, stored under a temporary name, and moved to its own.
"""

import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..files import make_folder, written_whole

_FILE = "file://"
_TEMPORARY = ".partial"


class StorageError(ValueError):
    """A URL that cannot be used."""


def absolute(path: str) -> str:
    """A path that means the same in every folder; a URL stays, one of this machine is a path."""
    if path.startswith(_FILE):
        path = path.removeprefix(_FILE)
    return path if is_url(path) else os.path.abspath(path)


def real(path: str) -> str:
    """The path, absolute, of the file itself where it is reached over links; a URL stays."""
    return path if is_url(path) else os.path.realpath(path)


def is_url(path: str) -> bool:
    """Whether a path is the URL of a file that is not of this machine."""
    return "://" in path and not path.startswith(_FILE)


def joined(folder: str, name: str) -> str:
    """The path of a file in a folder."""
    return f"{folder.rstrip('/')}/{name}" if is_url(folder) else os.path.join(folder, name)


def is_below(path: str, folder: str) -> bool:
    """Whether a path, absolute as the folder's, is that of something in the folder or below it."""
    separator = "/" if is_url(folder) else os.sep
    return path.startswith(folder.rstrip(separator) + separator)


def exists(path: str) -> bool:
    """Whether there is a file or a folder."""
    if is_url(path):
        system, inside = _system(path)
        return bool(system.exists(inside))
    return os.path.exists(path)


def is_folder(path: str) -> bool:
    """Whether a path is that of a folder."""
    if is_url(path):
        system, inside = _system(path)
        return bool(system.isdir(inside))
    return os.path.isdir(path)


def files_below(folder: str) -> list[str]:
    """The files in a folder and in those below it, sorted, as paths from it on. Hidden ones are
    left out. Links are followed, but for one to a folder that it is in.

    Raises OSError where a folder cannot be read.
    """
    if is_url(folder):
        system, inside = _system(folder)
        found = [one.removeprefix(inside.rstrip("/") + "/") for one in system.find(inside)]
    else:
        found = [os.path.relpath(one, folder).replace(os.sep, "/") for one in _walk(folder)]
    return sorted(one for one in found if not any(part[0] == "." for part in one.split("/")))


def sizes(folder: str) -> dict[str, int]:
    """The names of the files of a folder with their sizes in bytes; none if it is not there."""
    if not is_folder(folder):
        return {}
    if is_url(folder):
        system, inside = _system(folder)
        found = [
            one for one in system.ls(inside, detail=True, refresh=True) if one["type"] == "file"
        ]
        return {one["name"].rpartition("/")[2]: int(one["size"]) for one in found}
    with os.scandir(folder) as entries:
        return {entry.name: entry.stat().st_size for entry in entries if entry.is_file()}


def size_and_version(path: str) -> tuple[int, str]:
    """The size of a file in bytes, and what changes when it does: its time, or a server's mark."""
    if is_url(path):
        system, inside = _system(path)
        return int(system.size(inside)), str(system.ukey(inside))
    status = os.stat(path)
    return status.st_size, str(status.st_mtime_ns)


def open_file(path: str) -> BinaryIO:
    """Open a file for reading. Raises OSError."""
    if is_url(path):
        system, inside = _system(path)
        return cast(BinaryIO, system.open(inside, "rb"))
    return open(path, "rb")


def checksum(path: str) -> str:
    """The SHA-256 of a file. Raises OSError."""
    with open_file(path) as file:
        total = hashlib.sha256()
        while data := file.read(2**20):
            total.update(data)
        return total.hexdigest()


@contextmanager
def written(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing; it appears when the block ends, and not if it ends in an error.

    Raises:
        OSError: It cannot be written.
    """
    if not is_url(path):
        with written_whole(Path(path)) as file:
            yield file
        return
    system, inside = _system(path)
    with tempfile.TemporaryDirectory() as folder:
        local = os.path.join(folder, "file")
        with written_whole(Path(local)) as file:
            yield file
        above, _, name = inside.rpartition("/")
        temporary = f"{above}/.{name}-{secrets.token_hex(8)}{_TEMPORARY}"
        system.makedirs(above, exist_ok=True)
        system.put_file(local, temporary)
        system.mv(temporary, inside)


def write(path: str, data: bytes) -> None:
    """Write a file as :func:`written` does."""
    with written(path) as file:
        file.write(data)


def create(url: str, data: bytes) -> bool:
    """Write a small file of a URL unless it is there, in one request where the store can.

    Returns:
        Whether it was not there.
    """
    system, inside = _system(url)
    try:
        system.pipe_file(inside, data, mode="create")
    except FileExistsError:
        return False
    return True


def replace(url: str, data: bytes) -> None:
    """Write a small file of a URL, in one request."""
    system, inside = _system(url)
    system.pipe_file(inside, data)


def read(url: str) -> bytes | None:
    """The content of a small file of a URL; None if it is not there."""
    system, inside = _system(url)
    system.invalidate_cache()
    try:
        return bytes(system.cat_file(inside))
    except FileNotFoundError:
        return None


def remove(url: str) -> None:
    """Remove a file of a URL, if it is there."""
    system, inside = _system(url)
    with suppress(FileNotFoundError):
        system.rm_file(inside)


def make(folder: str) -> None:
    """Make a folder, with those above it that are missing."""
    if is_url(folder):
        system, inside = _system(folder)
        system.makedirs(inside, exist_ok=True)
    else:
        make_folder(Path(folder))


@contextmanager
def fetched_folder(path: str) -> Iterator[str]:
    """A folder as one of this machine: itself, or a copy for as long as the block lasts."""
    if not is_url(path):
        yield path
        return
    system, inside = _system(path)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        system.get(inside.rstrip("/") + "/", copy + "/", recursive=True)
        yield copy


@contextmanager
def fetched_file(path: str) -> Iterator[str]:
    """A file as one of this machine: itself, or a copy for as long as the block lasts."""
    if not is_url(path):
        yield path
        return
    system, inside = _system(path)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, inside.rpartition("/")[2])
        system.get_file(inside, copy)
        yield copy


def _walk(folder: str, above: frozenset[tuple[int, int]] = frozenset()) -> Iterator[str]:
    """The files in a folder and below it.

    Args:
        folder: The folder.
        above: The folders on the way to it, each by its device and number there.
    """
    status = os.stat(folder)
    this = status.st_dev, status.st_ino
    if this in above:
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _walk(entry.path, above | {this})
            else:
                yield entry.path


def _system(path: str) -> tuple[Any, str]:
    """fsspec's file system of a URL, and the path in it."""
    try:
        import fsspec
    except ImportError as error:
        raise StorageError(
            f"{path} is a URL, which needs fsspec: pip install 'spacy-structparse[corpus]'"
        ) from error
    try:
        system, inside = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise StorageError(f"{path} cannot be used: {error}") from error
    return system, str(inside)
