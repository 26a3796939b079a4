"""The texts in the lines of a file."""

from collections.abc import Iterable, Iterator
from typing import Literal

ParagraphEnd = Literal["line", "blank-line", "none"]

SENTENCE_ENDS = frozenset(".!?:;…\"')]}»\u201d\u2019")
MIN_INSIDE = 2
MIN_SHARE = 0.6


def split_texts(lines: Iterable[str], end: ParagraphEnd) -> Iterator[str]:
    """Put lines together to texts.

    Args:
        lines: The lines, without the space around them.
        end: What ends a text: each line, a blank line, or the end of the file alone.

    Yields:
        The texts that are not empty; lines of one text have a space between them.
    """
    for _, text in grouped_lines(enumerate(lines, 1), end):
        yield on_one_line(text)


def grouped_lines(
    lines: Iterable[tuple[int, str]], end: ParagraphEnd
) -> Iterator[tuple[int, list[str]]]:
    """The lines of each text that is not empty, with the number of its first one.

    Args:
        lines: Lines with their numbers.
        end: What ends a text, as in `split_texts`.

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
        """Whether most line breaks are inside a sentence."""
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
