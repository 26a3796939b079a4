"""Reading and writing Penn-bracket files and streams."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

from ..errors import TreeReadError
from ..files import written_whole
from ..input_limits import ICONV, file_lines, utf8_lines
from .scanner import Line, Scanner
from .tree import Tree, make_node

Source = str | os.PathLike[str] | TextIO
OnError = Callable[[TreeReadError], Any]


def read_trees(
    source: Source, *, name: str | None = None, on_error: OnError | None = None
) -> Iterator[Tree]:
    """Read the trees of a file in Penn bracket notation.

    Trees may share a line, or span several, of which those after the first are indented. Blank
    lines, comments (lines that begin with `#`, `;`, `%%` or `*x*`) and SGML lines (`<S ID=1>`)
    between trees are skipped, and so are numbers and `|||`, with which parsers count and score
    trees: `1 (S …)`, `0 ||| (S …) ||| -23.5`. A line between trees that begins with other text is
    an error, and its brackets are no trees. All parts of a tree are kept: traces, function tags,
    and the wrapper around a sentence, even without a label. See `notation` for the escapes.

    Args:
        source: The path of a file in UTF-8, or UTF-16 with a byte-order mark, compressed by gzip or
            not, or an open text stream.
        name: The name of the source in errors; by default its path or `stream.name`.
        on_error: Called with a TreeReadError for each broken tree. Reading continues at the next
            tree. None: the error is raised.

    Yields:
        The trees in order. The file is never in memory as a whole.

    Raises:
        TreeReadError: A tree is not closed, or has a closing bracket too many; text stands outside
            of trees; a bracket has nothing in it, or words and brackets side by side; bytes are not
            UTF-8. The error names file, line and column. A compressed file that is damaged, and
            one in GB18030 or the like, is such an error even with `on_error`.
        OSError: The file cannot be read.
    """
    for _, tree in read_numbered_trees(source, name=name, on_error=on_error):
        yield tree


def read_numbered_trees(
    source: Source, *, name: str | None = None, on_error: OnError | None = None
) -> Iterator[tuple[int, Tree]]:
    """Read trees as `read_trees` does, with the line that each begins on.

    Yields:
        The number of the line, from 1, and the tree.
    """
    for item in trees_and_faults(source, name):
        if not isinstance(item, TreeReadError):
            yield item
        elif on_error is None:
            raise item
        else:
            on_error(item)


def trees_and_faults(
    source: Source, name: str | None = None
) -> Iterator[tuple[int, Tree] | TreeReadError]:
    """Read trees as `read_numbered_trees` does, with the faults of broken ones in their places."""
    if name is None:
        name = str(getattr(source, "name", "<text>")) if hasattr(source, "read") else str(source)
    for item in Scanner(name, make_node).trees(_lines(source, name)):
        yield item if isinstance(item, TreeReadError) else (item[0][0], item[1])


def _lines(source: Source, name: str) -> Iterator[Line]:
    """The lines of a source. Bytes are decoded line by line, so that a fault knows its place."""
    if not isinstance(source, (str, os.PathLike)):
        yield from ((number, text, None) for number, text in enumerate(source, 1))
        return
    for number, data in enumerate(utf8_lines(file_lines(source), name), 1):
        fault = None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            text = data.decode("utf-8", errors="replace")
            column = len(data[: error.start].decode("utf-8")) + 1
            problem = f"not UTF-8: {error.reason}; {ICONV}"
            fault = TreeReadError(problem, name=name, line=number, column=column)
            if _is_double_byte(data):
                raise fault from error
        yield number, text.removeprefix("\ufeff") if number == 1 else text, fault


def _is_double_byte(line: bytes) -> bool:
    """Return True for a line in GB2312 or another encoding with two bytes for each character.

    Some words of such a file look like UTF-8, and would be read as other words.
    """
    try:
        line.decode("gb2312")
    except UnicodeDecodeError:
        return False
    return True


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
