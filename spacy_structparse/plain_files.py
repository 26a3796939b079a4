"""Folders to be read: plain files alone. Reading a pipe or a device may never end."""

import os
import stat
from pathlib import Path


class NotPlainError(ValueError):
    """A pipe, a socket or a device where a plain file is needed."""


def check_plain(path: Path) -> None:
    """Raise NotPlainError for anything at or below a path that is no plain file and no folder.

    Links are followed to files, as caches of downloads have them. What is not there, or may not be
    looked at, is for the reader to report.
    """
    if not path.is_dir():
        _check(path)
        return
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            _check(Path(folder, name))


def _check(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise NotPlainError(
            f"{path} is no plain file but a pipe, a socket or a device; copy what it gives into a "
            "file first"
        )
