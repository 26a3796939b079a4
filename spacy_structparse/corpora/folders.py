"""The files of a folder that stands for several inputs."""

from collections.abc import Iterator
from pathlib import Path


def files_under(folder: Path) -> list[Path]:
    """The files in and under a folder, in the order of their paths, but hidden files and those in
    hidden folders: systems and editors make these.

    Links are followed, but for those to a folder in which they are. A link to nothing is among the
    files, so that reading it is an error.
    """
    return sorted(_files_under(folder, frozenset()))


def _files_under(folder: Path, above: frozenset[Path]) -> Iterator[Path]:
    """above: the folders around it, without links."""
    real = folder.resolve()
    if real in above:
        return
    for path in folder.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files_under(path, above | {real})
        elif path.is_file() or path.is_symlink():
            yield path
