"""The files of a folder that stands for several inputs, and names that tell files apart."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath


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


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """The name of each file; where others have it too, with the folders that tell them apart.

    So `a/news.txt` and `b/news.txt` keep their folders, and `c/web.txt` is `web.txt`.
    """
    counts = Counter(end for path in set(paths) for end in _ends(path))
    return [
        next((end for end in _ends(path) if counts[end] == 1), path).as_posix() for path in paths
    ]


def _ends(path: Path) -> Iterator[PurePath]:
    """The last part of a path, the last two, and so on."""
    return (PurePath(*path.parts[-n:]) for n in range(1, len(path.parts) + 1))
