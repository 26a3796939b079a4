"""Names of files that tell them apart."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath


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
