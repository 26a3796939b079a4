"""Load a pipeline from a folder in which another process may save meanwhile."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

from ..input_limits import check_plain

_MOST_TRIES = 10


class ReplacedError(OSError):
    """A pipeline that was replaced whenever it was read."""


def load_whole(model: str | Path, **settings: Any) -> Language:
    """Load a pipeline, all of it from one save.

    ``spacy.load`` opens one file after the other. If the folder is replaced meanwhile, it may find
    files of both saves, or miss some. Then this function loads again.

    Args:
        model: A folder, or the name of an installed package.
        settings: Those of :func:`spacy.load`, such as ``exclude`` and ``config``.

    Raises:
        NotPlainError: A part of the folder is a pipe or a device.
        ReplacedError: The folder was replaced while it was read, ten times in a row.
        OSError, ValueError: As ``spacy.load``.
    """
    path = Path(model)
    for _ in range(_MOST_TRIES):
        with _watched(path) as is_the_same:
            try:
                check_plain(path)
                nlp = spacy.load(model, **settings)
            except Exception:
                if is_the_same():
                    raise
                continue
            if is_the_same():
                return nlp
    raise ReplacedError(
        f"{path} was replaced while it was read, {_MOST_TRIES} times; load it when no other "
        "process saves there"
    )


@contextmanager
def _watched(path: Path) -> Iterator[Callable[[], bool]]:
    """A function that says whether the folder at a path is still the one of now."""
    # The number of a folder that is open is given to no other one.
    is_open = os.name == "posix" and path.is_dir()
    descriptor = os.open(path, os.O_RDONLY) if is_open else None
    before = _identity(path) if descriptor is None else _identity(descriptor)
    try:
        yield lambda: _identity(path) == before
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _identity(path: Path | int) -> tuple[int, int] | None:
    """The device and number of a folder, or None if there is nothing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
