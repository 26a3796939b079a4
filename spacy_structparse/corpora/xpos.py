"""Whether CoNLL-U files have fine-grained tags."""

from collections.abc import Iterable
from pathlib import Path

from .conllu import N_COLUMNS, conllu_lines

_XPOS = 4


def has_xpos(paths: Iterable[Path]) -> bool:
    """Whether a word of the files has an XPOS tag. Reads up to the first one."""
    return any(_has_xpos(path) for path in paths)


def _has_xpos(path: Path) -> bool:
    for line in conllu_lines(path):
        columns = line.split(b"\t")
        if len(columns) == N_COLUMNS and columns[0].isdigit() and columns[_XPOS] != b"_":
            return True
    return False
