"""Writing Penn-bracket files."""

import os
from collections.abc import Iterable
from pathlib import Path

from .tree import Tree


def write_trees(
    trees: Iterable[Tree], path: str | os.PathLike[str], *, pretty: bool = False
) -> int:
    """Write trees to a UTF-8 file that `read_trees` reads back as the same trees.

    The file appears whole or not at all: it is written under a temporary name beside `path` and
    moved into place once the last tree is in it.

    trees (Iterable[Tree]): The trees.
    path (str | PathLike): Where to; an existing file is replaced.
    pretty (bool): Each tree over several indented lines, instead of one tree a line.
    RETURNS (int): The number of trees written.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    count = 0
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            for tree in trees:
                file.write(tree.pretty() if pretty else str(tree))
                file.write("\n")
                count += 1
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return count
