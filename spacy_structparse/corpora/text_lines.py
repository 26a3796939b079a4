"""The lines of UTF-8 text files and of the standard input."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path

from ..errors import ReadError
from ..input_limits import file_lines

STANDARD_INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MARKS_OF_UTF16 = (b"\xff\xfe", b"\xfe\xff")


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
    for number, line in enumerate(byte_lines(source), start=1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            if on_bad is None:
                raise ReadError(f"{name_of(source)}, line {number}: {not_utf8(error)}") from error
            on_bad(number, not_utf8(error))
        else:
            yield number, text.strip()


def byte_lines(source: Path) -> Iterator[bytes]:
    """The lines of a file, compressed by gzip or not, or of the standard input for ``-``.

    A byte-order mark is no part of the first. Raises ReadError for a file that cannot be read.
    """
    is_standard = str(source) == STANDARD_INPUT
    try:
        for number, line in enumerate(sys.stdin.buffer if is_standard else file_lines(source)):
            if not number and line.startswith(_MARKS_OF_UTF16):
                # Such lines end elsewhere, so none of them can be read.
                raise ReadError(f"{name_of(source)}: it is UTF-16 text: save it as UTF-8")
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


SENTENCE_ENDS = frozenset(".!?:;…\"')]}»\u201d\u2019")
MIN_INSIDE = 2
MIN_SHARE = 0.6


class Paragraphs(str, Enum):
    """The end of a document in a text file: each line, a blank line, or the end of the file."""

    line = "line"
    blank_line = "blank-line"
    none = "none"


def grouped_lines(lines: Iterable[tuple[int, str]], end: str) -> Iterator[tuple[int, list[str]]]:
    """The lines of each text that is not empty, with the number of its first one.

    Args:
        lines: Lines with their numbers.
        end: What ends a text: each `line`, a `blank-line`, or `none`: the end of the file alone.

    Yields:
        The number, and the lines; an empty one where there are blank lines between them.
    """
    text: list[str] = []
    first = 0
    for number, line in lines:
        if line:
            first = first if text else number
            text.append(line)
        elif text and text[-1] and end == "none":
            text.append(line)
        if text and (end == "line" or (not line and end == "blank-line")):
            yield first, text
            text = []
    if text:
        yield first, text


def on_one_line(lines: Iterable[str]) -> str:
    """The lines of a text with a space between them."""
    return " ".join(filter(None, lines))


class LineBreaks:
    """A count of line breaks, to tell whether lines were wrapped at a width.

    A break is inside a sentence if the line does not end one, the next line goes on in lower case,
    and its first word had no more room.

    Attributes:
        breaks: Line breaks between two lines that are not empty.
        inside: Those that are inside a sentence.
    """

    def __init__(self) -> None:
        self.breaks = 0
        self.inside = 0
        self._width = 0

    @property
    def look_wrapped(self) -> bool:
        """True if most line breaks are inside a sentence."""
        return self.inside >= MIN_INSIDE and self.inside >= MIN_SHARE * self.breaks

    def __str__(self) -> str:
        return f"{self.inside} of {self.breaks} line breaks are inside a sentence"

    def counted(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Pass numbered lines on, and count the breaks between them."""
        before = ""
        for number, line in lines:
            self._width = max(self._width, len(line))
            if before and line:
                self.breaks += 1
                room = self._width - len(before) - 1
                self.inside += (
                    before[-1] not in SENTENCE_ENDS
                    and line[0].islower()
                    and len(line.split(maxsplit=1)[0]) > room
                )
            before = line
            yield number, line


_QUOTES = r"\u2019\u201d\u300d\u300f"
_ENDS = (
    re.compile(r"(?=\n\n)"),
    # Chinese and Japanese have no space after a sentence.
    re.compile(rf"[.!?\u2026][\"')\]}}\u00bb{_QUOTES}]*(?=\s)|[\u3002\uff01\uff1f][{_QUOTES}]*"),
    re.compile(r"(?=\n)"),
    re.compile(r"(?=\s)"),
)
"""Ends of parts, the best first."""


def too_long(length: int, most: int, parts: str = "documents") -> str:
    """The message of a text that is not parsed, of so many characters.

    Args:
        length: The text's characters.
        most: The characters that the pipeline takes.
        parts: What the text should be cut into.
    """
    return (
        f"its text has {length:,} characters, more than nlp.max_length = {most:,}: cut it into "
        f"several {parts}"
    )


def cut_text(text: str, most: int) -> list[str]:
    """Cut a text into parts, without the white space around them.

    In the second half of its characters a part ends at the last blank line; without one, at the
    last end of a sentence, line break, or white space. Where there is none of them it ends at the
    limit.

    Args:
        text: The text. Its paragraphs have a blank line between them.
        most: Maximum number of characters in a part, at least 1.
    """
    text = text.strip()
    parts: list[str] = []
    start = 0
    while len(text) - start > most:
        end = _last_end(text, start + (most + 1) // 2, start + most)
        parts.append(text[start:end].rstrip())
        start = end
        while text[start].isspace():
            start += 1
    return [*parts, text[start:]] if text else []


def _last_end(text: str, first: int, last: int) -> int:
    """The best place to cut a text, from the first to the last one that will do."""
    for ends in _ENDS:
        found = [match.end() for match in ends.finditer(text, first, last + 2)]
        if places := [place for place in found if place <= last]:
            return places[-1]
    return last
