"""The lines of UTF-8 text files and of the standard input."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import ReadError
from ..input_limits import ICONV, file_lines, utf8_lines

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def text_lines(source: Path) -> Iterator[str]:
    """The lines of a file, or of the standard input for ``-``, without the space around them.

    Only a line feed ends a line: other separators, which ``str.splitlines`` knows, may stand in
    one. A byte-order mark is no part of the first.

    Raises:
        ReadError: The file cannot be read, or a line is not UTF-8.
    """
    for _, line in numbered_lines(source):
        yield line


def numbered_lines(
    source: Path, on_bad: Callable[[int, str], None] | None = None
) -> Iterator[tuple[int, str]]:
    """The lines as `text_lines` has them, with their numbers from 1.

    Args:
        source: The file.
        on_bad: Called with the number of a line that is not UTF-8, and the reason. The line is left
            out. Without it such a line is an error.

    Raises:
        ReadError: The file cannot be read, or a line is not UTF-8.
    """
    return ((number, line.strip()) for number, line in decoded_lines(source, on_bad))


def decoded_lines(
    source: Path, on_bad: Callable[[int, str], None] | None = None, name: str = ""
) -> Iterator[tuple[int, str]]:
    """The lines as they are, with their numbers; see `numbered_lines`.

    name: The name of the file in errors. Empty: its path.
    """
    for number, line in enumerate(byte_lines(source), start=1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            if on_bad is None:
                place = f"{name or name_of(source)}, line {number}"
                raise ReadError(f"{place}: {not_utf8(error)}; {ICONV}") from error
            on_bad(number, not_utf8(error))
        else:
            yield number, text


def byte_lines(source: Path) -> Iterator[bytes]:
    """The lines in UTF-8 of a file, compressed by gzip or not, or of the standard input for ``-``.

    UTF-16 is converted if it has a byte-order mark. Such a mark is no part of the first line.
    Raises ReadError for a file that cannot be read.
    """
    is_standard = str(source) == STANDARD_INPUT
    try:
        lines = sys.stdin.buffer if is_standard else file_lines(source)
        for number, line in enumerate(utf8_lines(lines, name_of(source))):
            yield line if number else line.removeprefix(BYTE_ORDER_MARK)
    except OSError as error:
        raise ReadError(f"{name_of(source)}: {error.strerror or error}") from error


def not_utf8(error: UnicodeDecodeError) -> str:
    """The message of a line that is not UTF-8."""
    return f"it is not UTF-8 text: {error.reason}, byte {error.start + 1} of the line"


def name_of(source: Path) -> str:
    """The name of an input in messages."""
    return "the standard input" if str(source) == STANDARD_INPUT else str(source)


def given_text(text: str) -> str:
    """A text given to a command, all of the standard input for ``-``, without the space around its
    lines. Raises ReadError."""
    return "\n".join(text_lines(Path(text))).strip() if text == STANDARD_INPUT else text.strip()
