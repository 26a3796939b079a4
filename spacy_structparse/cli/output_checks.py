"""Checks of outputs before the work: nothing is lost, and what is made can be written."""

import errno
import glob
import os
from collections.abc import Iterable
from pathlib import Path

from ..corpora.suffixes import kind_of
from .input_formats import SUFFIXES

STANDARD_OUTPUT = "-"


def check_outputs(no_clobber: bool, *outputs: Path | None, standard: bool = False) -> None:
    """Raise an OSError for an output that cannot be written, or that would replace another one.

    Args:
        no_clobber: An output that is a file, or a folder with anything in it, is an error, too.
        outputs: Files and folders. A device or a pipe is written into, and loses nothing.
        standard: `-` stands for the standard output. Otherwise it is an error.

    Raises:
        FileExistsError: Two outputs are one file, or --no-clobber is given and one exists.
        NotADirectoryError, PermissionError: A folder that it is to be in is a file, or may not be
            written into.
    """
    seen = set()
    for path in outputs:
        if path is None or (path.exists() and not path.is_file() and not path.is_dir()):
            continue
        if path.parts[:1] == (STANDARD_OUTPUT,):
            if standard:
                continue
            raise OSError(
                errno.EINVAL,
                "this output cannot be the standard output: name a file or folder (a folder that "
                "has this name by its full path)",
                os.fspath(path),
            )
        real = os.path.realpath(path)
        if real in seen:
            raise FileExistsError(
                errno.EEXIST, "it is given for two outputs: name another", os.fspath(path)
            )
        seen.add(real)
        if no_clobber and (path.is_file() or (path.is_dir() and any(path.iterdir()))):
            raise FileExistsError(
                errno.EEXIST, "it exists, and --no-clobber is given", os.fspath(path)
            )
        _check_writable(Path(real))


def refuse_inputs(inputs: Iterable[str | Path | None], *outputs: Path | None) -> None:
    """Raise FileExistsError for an output that is one of the inputs: writing it would destroy what
    was given.

    Args:
        inputs: Files, and folders whose treebanks, `.spacy` files and texts are read; what is
            neither, as a text, is passed over.
        outputs: The files to be written.
    """
    files = [path for path in outputs if path is not None and path.is_file()]
    given = [one for one in inputs if one is not None] if files else []
    for path in files:
        for one in given:
            if _is_file(one, path):
                raise FileExistsError(
                    errno.EEXIST,
                    "it is an input, which would be lost: name another",
                    os.fspath(path),
                )
            if _is_read_in(one, path):
                raise FileExistsError(
                    errno.EEXIST,
                    f"it is one of the files in {one}, an input, and would be lost: name another",
                    os.fspath(path),
                )


def numbered_pictures(output: Path | None) -> list[Path]:
    """The files that pictures of one or of several sentences may be written to, and exist."""
    if output is None:
        return []
    numbered = output.parent.glob(f"{glob.escape(output.stem)}-[0-9]*{glob.escape(output.suffix)}")
    return [output, *sorted(numbered)]


def _check_writable(path: Path) -> None:
    """Whether the file or folder can be made: outputs are written beside it, and moved there."""
    folder = next(one for one in path.parents if one.exists())
    if not folder.is_dir():
        raise NotADirectoryError(
            errno.ENOTDIR, f"{folder} is a file, and no folder to write into", os.fspath(path)
        )
    for place in (path, folder):
        if place.exists() and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, f"{place} may not be written", os.fspath(path))


def _is_file(given: str | Path, path: Path) -> bool:
    try:
        return os.path.samefile(given, path)
    except (OSError, ValueError):  # no file: a text may be too long for a name, or have a NUL
        return False


def _is_read_in(given: str | Path, path: Path) -> bool:
    """Whether a folder is given, and the file is in it and of a kind that is read."""
    if kind_of(path.name, SUFFIXES) is None:
        return False
    return any(_is_file(given, folder) for folder in path.resolve().parents)
