"""Put a new folder in the place of an old one, so that a reader always finds one of them whole."""

import ctypes
import os
import shutil
from pathlib import Path

from ..files import finish_folder, synchronize, temporary_folder
from .replaceable import foreign_content

AT_FDCWD = -100
RENAME_EXCHANGE = 2


def replace_folder(new: Path, target: Path) -> None:
    """Move the folder ``new`` to ``target``, in the place of the folder that is there, if any.

    It gets that folder's mode and owner. Where the system can swap two folders in one step (Linux),
    ``target`` exists at all times. Elsewhere the old folder is called ``<target>.previous`` for the
    moment between two renames; if the process dies there, that folder is whole, and the next
    replacement clears up. new and target must be on one file system.
    """
    previous = target.with_name(f"{target.name}.previous")
    finish_folder(new, target.stat() if target.exists() else None)
    while True:
        if target.exists():
            if _swapped(new, target):
                break  # the old folder is at `new` now
            remove_pipeline(previous)
            target.rename(previous)
        try:
            new.rename(target)
            break
        except OSError:
            if not target.exists():  # else another writer was faster: replace what it wrote
                raise
    synchronize(target.parent)  # before the old folder goes
    remove_folder(new)
    remove_pipeline(previous)


def remove_folder(path: Path) -> None:
    """Remove a folder if it exists."""
    if path.exists():
        shutil.rmtree(path)


def remove_pipeline(path: Path) -> None:
    """Remove a pipeline's folder; what is not one stays.

    It is given a temporary name first. If the process dies then, the next writer removes the rest;
    half a pipeline under its own name would be taken for a folder of the user's.
    """
    if path.exists() and foreign_content(path) is None:
        with temporary_folder(path) as folder:
            path.rename(folder / path.name)


def _swapped(one: Path, other: Path) -> bool:
    """Swap two folders in one step, where the system and the file system can; else False."""
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    failed = renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE)
    return not failed
