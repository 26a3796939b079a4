"""The input files of a corpus."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...corpora.readers import SHOWN_KINDS, InputFormat, kind_of
from ...errors import ReadError
from ...input_limits import files_under
from . import storage


@dataclass(frozen=True)
class CorpusFile:
    """An input.

    Attributes:
        name: Its path from the folder on that all inputs share, for outputs and messages.
        path: Its path or URL, which means the same in every folder.
        kind: Its kind.
        size: Its size in bytes.
        version: Another one when the file has changed: its time, or a mark of its server.
    """

    name: str
    path: str
    kind: InputFormat
    size: int
    version: str


def find_corpus(sources: Iterable[str], kind: InputFormat | None, output: str) -> list[CorpusFile]:
    """Find the files that paths, URLs and their patterns (`*.txt`) stand for.

    Args:
        sources: Files, folders and patterns. A folder stands for the files of known kinds in it
            and under it, but hidden ones and those of the output.
        kind: The kind of all files; of a folder, the kind to read. None: as their suffixes say.
        output: The folder of outputs, absolute.

    Raises:
        ReadError: There is no such file, or its kind is not known.
        ReadError: A URL cannot be used.
        OSError: A folder cannot be read.
    """
    files = {file[0]: file for source in sources for file in _files_of(source, kind, output)}
    places = [os.path.normpath(path.replace("://", "/")).lstrip("/") for path in files]
    shared = os.path.commonpath([os.path.dirname(place) for place in places])
    return [
        CorpusFile(
            name=place.removeprefix(shared).lstrip("/"),
            path=path,
            kind=file_kind,
            size=int(info["size"] or 0),
            version=str(info.get("ETag") or info.get("LastModified") or info.get("mtime")),
        )
        for place, (path, file_kind, info) in zip(places, files.values(), strict=True)
    ]


def _files_of(
    source: str, kind: InputFormat | None, output: str
) -> Iterator[tuple[str, InputFormat, dict[str, Any]]]:
    """Find the files of an argument, each with its kind and what its file system says of it."""
    path = storage.absolute(source)
    system, inside = storage.file_system(path)
    is_folder = system.isdir(inside)
    if is_folder:
        listed = system.find(inside) if storage.is_url(path) else files_under(Path(path))
        visible = [str(name) for name in listed if "/." not in str(name).removeprefix(inside)]
        names = [name for name in visible if kind_of(name) and kind in (None, kind_of(name))]
    else:
        matching = [inside] if system.exists(inside) else sorted(system.glob(inside))
        names = [name for name in matching if not system.isdir(name)]
    paths = {name: storage.absolute(system.unstrip_protocol(name)) for name in names}
    inputs = {name: path for name, path in paths.items() if not path.startswith(f"{output}/")}
    if not inputs:
        problem = f"has no files of such a kind ({SHOWN_KINDS})" if is_folder else "does not exist"
        raise ReadError(f"{source} {problem}")
    for name, path in inputs.items():
        file_kind, info = kind or kind_of(name), system.info(name)
        if file_kind is None:
            raise ReadError(
                f"the kind of {name} is not known by its suffix: name it with --input-format. "
                f"The kinds: {SHOWN_KINDS}"
            )
        if info["type"] != "file":
            raise ReadError(f"{name} is no plain file: copy what it gives into one")
        yield path, file_kind, info
