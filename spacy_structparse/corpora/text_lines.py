"""The lines of UTF-8 text files and of the standard input."""

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextReadError(ValueError):
    """A text file that is not there or not text."""


def text_lines(source: Path) -> Iterator[str]:
    """The lines of a file, or of the standard input for ``-``, without the space around them.

    Only a line feed ends a line: other separators, which ``str.splitlines`` knows, may stand in
    one. A byte-order mark is no part of the first.

    Raises TextReadError for a file that cannot be read, with the line for one that is not UTF-8.
    """
    standard = str(source) == STANDARD_INPUT
    name = "the standard input" if standard else str(source)
    try:
        with nullcontext(sys.stdin.buffer) if standard else source.open("rb") as file:
            for number, line in enumerate(file, start=1):
                try:
                    text = line.removeprefix(BYTE_ORDER_MARK if number == 1 else b"").decode()
                except UnicodeDecodeError as error:
                    raise TextReadError(
                        f"{name} is not UTF-8 text: line {number}, byte {error.start + 1}: "
                        f"{error.reason}"
                    ) from error
                yield text.strip()
    except OSError as error:
        raise TextReadError(f"{name}: {error.strerror or error}") from error


def given_text(text: str) -> str:
    """A text given to a command, all of the standard input for ``-``, without the space around its
    lines. Raises TextReadError."""
    return "\n".join(text_lines(Path(text))).strip() if text == STANDARD_INPUT else text.strip()
