"""Writing Penn-bracket files."""

import os
from collections.abc import Iterable
from pathlib import Path

from ..files import written_whole
from .tree import Tree


def write_trees(
    trees: Iterable[Tree], path: str | os.PathLike[str], *, pretty: bool = False
) -> int:
    """Write trees to a UTF-8 file, which `read_trees` reads back as the same trees.

    The file appears whole or not at all: it is written under a temporary name beside `path` and
    moved into place after the last tree.

    Args:
        trees: The trees.
        path: The file; an existing one is replaced.
        pretty: Write each tree on several indented lines, instead of one tree a line.

    Returns:
        The number of trees written.
    """
    count = 0
    with written_whole(Path(path)) as file:
        for tree in trees:
            line = tree.pretty() if pretty else str(tree)
            file.write(f"{line}\n".encode())
            count += 1
    return count
