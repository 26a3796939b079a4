"""Outputs: checked before the work, so that nothing is lost, and written as JSON after it."""

import os
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer

from ..corpora.docbins import docbin_files
from ..corpora.writers import STANDARD_OUTPUT
from ..errors import ReadError
from ..escaping import json_text
from ..files import is_stream, write_atomically
from ..input_limits import GZIP_SUFFIX


def check_outputs(
    no_clobber: bool,
    *outputs: Path | None,
    inputs: Iterable[str | Path | None] = (),
    standard: bool = False,
) -> None:
    """Check that outputs can be written, and replace no input and no other output.

    Args:
        no_clobber: An output that is a file, or a folder with anything in it, is an error, too.
        outputs: Files and folders. A device or a pipe is written into, and loses nothing.
        inputs: As for `refuse_inputs`.
        standard: `-` stands for the standard output. Otherwise it is an error.

    Raises:
        ValueError: Two outputs are one file, --no-clobber is given and one exists, or the folder
            that it is to be in is a file, or may not be written into.
    """
    checked: set[Path] = set()
    for path in outputs:
        is_standard = standard and str(path) == STANDARD_OUTPUT
        if path is None or is_standard or is_stream(path):
            continue
        refuse_standard_output(path)
        real = Path(os.path.realpath(path))
        if real in checked:
            raise ValueError(f"{path} is given for two outputs: name another")
        checked.add(real)
        if no_clobber and (path.is_file() or (path.is_dir() and any(path.iterdir()))):
            raise ValueError(f"{path} exists, and --no-clobber is given")
        folder = next(parent for parent in real.parents if parent.exists())
        if not folder.is_dir():
            raise ValueError(f"{path}: {folder} is a file, not a folder to write into")
        for place in (real, folder):
            if place.exists() and not os.access(place, os.W_OK):
                raise ValueError(f"{path}: {place} may not be written")
    refuse_inputs(inputs, *outputs)


def is_terminal(output: Path | None) -> bool:
    """Return True for the standard output if it is a terminal."""
    return str(output) == STANDARD_OUTPUT and sys.stdout.isatty()


def check_suffix(output: Path, known: Collection[str]) -> str:
    """Return the suffix of an output.

    Args:
        output: The file. A device or a pipe may have any name.
        known: The suffixes that it may have. Empty: none. With `.gz` the one before it counts.

    Raises:
        ValueError: It has another one, so that the file would not be what its name says.
    """
    is_packed = output.suffix == GZIP_SUFFIX in known
    suffix = Path(output.stem).suffix if is_packed else output.suffix
    if suffix not in known and not is_stream(output):
        names = ", ".join(filter(None, known))
        raise ValueError(f"--output {output} must end in one of {names}")
    return suffix


def output_file(help: str, suffixes: Collection[str], *names: str) -> Any:
    """Make an option that is a file to write, with one of these suffixes; see `check_suffix`."""

    def check(path: Path | None) -> Path | None:
        if path is not None:
            check_suffix(path, suffixes)
        return path

    return typer.Option(*(names or ("--output", "-o")), help=help, dir_okay=False, callback=check)


def refuse_standard_output(path: Path) -> None:
    """Raise ValueError for an output named `-`, where the standard output will not do."""
    if str(path) == STANDARD_OUTPUT:
        raise ValueError("an output cannot be the standard output, -: name a file or folder")


def refuse_inputs(inputs: Iterable[str | Path | None], *outputs: Path | None) -> None:
    """Raise ValueError for an output that is one of the inputs, which would be lost.

    Args:
        inputs: The files that are read, not their folders; what is no file, as a text, is passed
            over.
        outputs: The files to be written.
    """
    existing = [path for path in outputs if path is not None and path.is_file()]
    sources = [source for source in inputs if source is not None] if existing else []
    for path in existing:
        if any(_is_file(source, path) for source in sources):
            raise ValueError(f"{path}: it is an input, which would be lost: name another output")


def save_json(path: Path | None, value: object) -> None:
    """Write a value as JSON, if there is a file for it."""
    if path is not None:
        write_atomically(path, f"{json_text(value, indent=2)}\n".encode())


def docbins_of(*paths: Path | None) -> Iterator[Path]:
    """The files that are read of `.spacy` files and folders of them. What has none is left to the
    reader, whose error says so."""
    for path in paths:
        if path is not None:
            with suppress(ReadError):
                yield from docbin_files(path)


def _is_file(source: str | Path, path: Path) -> bool:
    try:
        return os.path.samefile(source, path)
    except (OSError, ValueError):  # no file: a text may be too long for a name, or have a NUL
        return False
