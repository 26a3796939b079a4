"""The input files of a corpus."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from ..input_limits import GZIP_SUFFIX, check_plain
from ..printable import printable
from . import storage
from .suffixes import kind_of, shown_kinds

READERS = 8
"""Files that are read at a time, for their checksums and as records: mostly waiting for disks and
servers."""


class Kind(str, Enum):
    """The kinds of inputs, by the names that the command line has for them."""

    text = "text"
    jsonl = "jsonl"
    parquet = "parquet"
    spacy = "spacy"


SUFFIXES = {
    ".txt": Kind.text,
    ".text": Kind.text,
    f".txt{GZIP_SUFFIX}": Kind.text,
    f".text{GZIP_SUFFIX}": Kind.text,
    ".jsonl": Kind.jsonl,
    f".jsonl{GZIP_SUFFIX}": Kind.jsonl,
    ".parquet": Kind.parquet,
    ".spacy": Kind.spacy,
}


class InputError(ValueError):
    """An input that is not there, or whose kind is not known."""


@dataclass(frozen=True)
class Input:
    """A file.

    Attributes:
        name: Its name in outputs and messages: as it was given, or below the folder that was.
        path: Where it is, from every folder.
        kind: Its kind.
        size: Bytes.
        version: Changes when the file does; see :func:`storage.size_and_version`.
    """

    name: str
    path: str
    kind: Kind
    size: int
    version: str


def find_inputs(
    sources: Iterable[str], kind: Kind | None, output: str | None = None
) -> list[Input]:
    """The files that paths and URLs stand for, in their order; those of a folder by their names.

    Args:
        sources: Files and folders. A folder stands for the files of known kinds in it and below.
        kind: The kind of all inputs; None: as their suffixes say.
        output: A folder of outputs, absolute. In a folder above it, its files are no inputs.

    Raises:
        InputError, NotPlainError: A file is not there, is none, is of no known kind, or is named
            twice, if by several spellings or links; a folder has no files of the kind.
        OSError: A folder cannot be read.
    """
    found = [one for source in sources for one in _files_of(source, kind, output)]
    names: set[str] = set()
    files: dict[str, str] = {}
    for one in found:
        if one.name in names:
            raise InputError(f"{one.name} is named twice")
        names.add(one.name)
        first = files.setdefault(storage.real(one.path), one.name)
        if first != one.name:
            raise InputError(f"{one.name} is named twice: as {first}, too, which is the same file")
    return found


def is_packed(path: str) -> bool:
    """Whether a text file, or one of JSON lines, is compressed."""
    return path.lower().endswith(GZIP_SUFFIX)


def describe(inputs: Iterable[Input], before: Iterable[Mapping[str, Any]] = ()) -> list[Any]:
    """The inputs with their SHA-256, as JSON has them.

    Args:
        inputs: The inputs. They are read whole, but for those that are known.
        before: What this function has returned earlier. A file of the same size and version is
            not read again.

    Raises:
        OSError: An input cannot be read.
    """
    known = {(one["name"], one["bytes"], one["version"]): one["sha256"] for one in before}

    def of(one: Input) -> dict[str, Any]:
        sha256 = known.get((one.name, one.size, one.version)) or storage.checksum(one.path)
        return {
            "name": one.name,
            "kind": one.kind.value,
            "bytes": one.size,
            "version": one.version,
            "sha256": sha256,
        }

    with ThreadPoolExecutor(READERS) as pool:
        return list(pool.map(of, inputs))


def _files_of(source: str, kind: Kind | None, output: str | None) -> Iterator[Input]:
    path = storage.absolute(source)
    if not storage.exists(path):
        raise InputError(f"{source} does not exist")
    if not storage.is_folder(path):
        its_kind = kind or kind_of(path, SUFFIXES)
        if its_kind is None:
            raise InputError(
                f"the kind of {source} is not known by its suffix. Name it with --input-format. "
                f"The kinds, with their suffixes: {shown_kinds(SUFFIXES)}"
            )
        yield _input(source, path, its_kind)
        return
    outputs = output if output is not None and storage.is_below(output, path) else None
    files = [
        (file, its_kind)
        for file in storage.files_below(path)
        if (its_kind := kind_of(file, SUFFIXES)) is not None
        and kind in (None, its_kind)
        and not (outputs and storage.is_below(storage.joined(path, file), outputs))
    ]
    if not files:
        raise InputError(
            f"the folder {source} has no files of a known kind ({shown_kinds(SUFFIXES)})"
            if kind is None
            else f"the folder {source} has no {kind.value} files ({shown_kinds(SUFFIXES)})"
        )
    for file, its_kind in files:
        yield _input(f"{source.rstrip('/')}/{file}", storage.joined(path, file), its_kind)


def _input(name: str, path: str, kind: Kind) -> Input:
    if not storage.is_url(path):
        check_plain(Path(path))
    return Input(printable(name), path, kind, *storage.size_and_version(path))
