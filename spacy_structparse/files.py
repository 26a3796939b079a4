"""Files and folders written whole or not at all.

An output is written under a temporary name in its own folder, brought to the disk, and moved into
place. Several writers of one output do not meet: the last one to finish has written it. What a
killed process leaves is removed a day later, by the next one that writes into the same folder.
"""

import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

# Seconds after which nobody writes any more into a temporary file or folder.
_STALE = 24 * 60 * 60
_OPEN_FILE = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}
_cleared: set[Path] = set()  # folders that this process has cleared


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing; it appears when the block ends, and not if it ends in an error.

    A link is followed. A file keeps its mode and its owner, as far as the process may set them; a
    new one has the mode of the umask. A device or a pipe is no file and is written into.

    Args:
        path: The file. Missing folders above it are made.

    Raises:
        OSError: It cannot be written. What was there is as it was.
    """
    status = _status(path)
    if is_stream(path):
        number = _open_number(path)
        opened = os.open(path, os.O_WRONLY) if number is None else os.dup(number)
        with os.fdopen(opened, "wb") as file:
            yield file
        return
    if status is not None and stat.S_ISDIR(status.st_mode):
        raise _error(IsADirectoryError, errno.EISDIR, path)
    if status is not None and not os.access(path, os.W_OK):
        raise _error(PermissionError, errno.EACCES, path)
    target = path.resolve()
    temporary = _temporary_name(target)
    try:
        with _errors_name(path, temporary):
            with temporary.open("xb") as file:
                yield file
            _finish(temporary, status)
            temporary.replace(target)
            synchronize(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def is_stream(path: Path) -> bool:
    """Return whether a path, which is written into, is an open file, a device or a pipe."""
    try:
        mode = path.stat().st_mode
    except OSError:  # there is nothing
        return False
    return _open_number(path) is not None or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, and bring their names to the disk."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        synchronize(path.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Write ``data`` as :func:`written_whole` does."""
    with written_whole(path) as file:
        file.write(data)


@contextmanager
def folder_written_whole(path: Path) -> Iterator[Path]:
    """A folder to write into; it is at ``path`` when the block ends, and not if it ends in an
    error.

    Args:
        path: The folder: none yet, or an empty one. A link is followed.

    Raises:
        OSError: It cannot be written, or something else is there.
    """
    status = _status(path)
    with temporary_folder(path) as temporary:
        yield temporary
        target = path.resolve()
        finish_folder(temporary, status)
        if status is not None:
            target.rmdir()
        temporary.replace(target)
        synchronize(target.parent)


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """A new folder beside ``path``, to be moved there; it is removed if it is still there when the
    block ends.

    Raises:
        OSError: It cannot be made, or ``path`` is not a folder.
    """
    status = _status(path)
    if status is not None and not stat.S_ISDIR(status.st_mode):
        raise _error(NotADirectoryError, errno.ENOTDIR, path)
    temporary = _temporary_name(path.resolve())
    try:
        with _errors_name(path, temporary):
            temporary.mkdir()
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def finish_folder(folder: Path, replaced: os.stat_result | None) -> None:
    """Bring all of a folder to the disk, with the mode and the owner of the one it replaces."""
    for inside, _, names in os.walk(folder):
        for name in names:
            synchronize(Path(inside, name))
        synchronize(Path(inside))
    _finish(folder, replaced)


def _open_number(path: Path) -> int | None:
    """The number of an open file that a path such as `/dev/stdout` stands for."""
    number = _OPEN_FILE.fullmatch(str(path))
    return int(number[1]) if number else _STANDARD.get(str(path))


def _status(path: Path) -> os.stat_result | None:
    """Return the status of ``path``, or of what it links to; None if there is nothing."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _error(kind: type[OSError], number: int, path: Path) -> OSError:
    return kind(number, os.strerror(number), str(path))


@contextmanager
def _errors_name(path: Path, temporary: Path) -> Iterator[None]:
    """Within it, errors name the output and not its temporary name, which a user has never seen.

    The error of a full disk names no file.
    """
    try:
        yield
    except OSError as error:
        is_full = error.filename is None and error.errno in _FULL
        if is_full or str(error.filename).startswith(str(temporary)):
            error.filename = str(path)
        raise


def _temporary_name(target: Path) -> Path:
    """A new name beside ``target``; the folder is made, or cleared of what dead writers left."""
    folder = target.parent
    make_folder(folder)
    if folder not in _cleared:
        _cleared.add(folder)
        for path in folder.glob(".*.structparse"):
            with suppress(OSError):  # another writer was faster
                if time.time() - path.stat().st_mtime > _STALE:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
    return folder / f".{secrets.token_hex(8)}.structparse"


def _finish(path: Path, replaced: os.stat_result | None) -> None:
    """Bring a file to the disk, with the mode and the owner of the one that it replaces."""
    synchronize(path)
    if replaced is None:
        return
    now = path.stat()
    if (now.st_uid, now.st_gid) != (replaced.st_uid, replaced.st_gid):
        for uid, gid in ((-1, replaced.st_gid), (replaced.st_uid, -1)):
            with suppress(PermissionError):
                os.chown(path, uid, gid)
    path.chmod(stat.S_IMODE(replaced.st_mode))  # last: a change of owner takes bits away


def synchronize(path: Path) -> None:
    """Bring a file's content, or a folder's list of names, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # not of a kind that can be synced
            raise
    finally:
        os.close(descriptor)
