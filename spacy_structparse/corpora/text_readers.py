"""Readers of files without annotation: text, JSON lines, and words between spaces."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import ReadError
from ..escaping import error_text
from .document_ids import RECORD, record_json
from .options import Source
from .report import ConversionReport, Document, Place
from .text_lines import byte_lines, not_utf8, numbered_lines

# Other spaces, such as that within 20 000, may stand in a word.
_BETWEEN_WORDS = re.compile("[ \t]+")
TEXT = "text"
"""The key of the text in an object of JSON lines."""
SENTENCE_ENDS = frozenset(".!?:;…\"')]}»\u201d\u2019")
MIN_INSIDE = 2
MIN_SHARE = 0.6
_QUOTES = r"\u2019\u201d\u300d\u300f"
_ENDS = (
    re.compile(r"(?=\n\n)"),
    # Chinese and Japanese have no space after a sentence.
    re.compile(rf"[.!?\u2026][\"')\]}}\u00bb{_QUOTES}]*(?=\s)|[\u3002\uff01\uff1f][{_QUOTES}]*"),
    re.compile(r"(?=\n)"),
    re.compile(r"(?=\s)"),
)
"""Ends of the parts of a long text, the best first."""


def read_texts(source: Source) -> Iterator[Document]:
    """Read texts; what ends a text is an option.

    A text with more than `nlp.max_length` characters is cut into several documents, and reported.
    """
    _, name, nlp, options, report = source
    line_breaks = LineBreaks()
    lines = line_breaks.counted(_lines(source))
    for number, text in grouped_lines(lines, options.paragraphs or "line"):
        place = Place(name, number)
        whole = on_one_line(text)
        if len(whole) <= nlp.max_length:
            yield Document(place, whole)
            continue
        # Blank lines and line breaks are places to cut it.
        for part in cut_long_text("\n".join(text), place, nlp, report):
            yield Document(place, on_one_line(part.split("\n")))
    if line_breaks.look_wrapped and options.paragraphs is None:
        report.wrapped.append(f"{name}: {line_breaks}")


def read_words(source: Source) -> Iterator[Document]:
    """Read tokenized sentences, a line each, as Docs with their words and sentence starts.

    A line is a document, or all lines up to a blank one are, as the options say.
    """
    for number, group in grouped_lines(_lines(source), source.options.paragraphs or "line"):
        place = Place(source.name, number)
        if is_short(sum(map(len, group)), place, source.nlp, source.report):
            sentences = [_BETWEEN_WORDS.split(line) for line in group if line]
            words = [word for sentence in sentences for word in sentence]
            starts: list[Any] = [not at for sentence in sentences for at in range(len(sentence))]
            yield Document(place, Doc(source.nlp.vocab, words=words, sent_starts=starts))


def read_json(source: Source) -> Iterator[Document]:
    """Read objects, a line each, as tokenized Docs which keep the other values.

    Raises ReadError if no line is an object with a text; it names the first.
    """
    first_error = ""
    has_texts = False
    for number, line in enumerate(byte_lines(source.path), start=1):
        if not line.strip():
            continue
        place = Place(source.name, number)
        try:
            record = json.loads(line.decode())
            if not isinstance(record, dict) or not isinstance(record.get(TEXT), str):
                raise ValueError(f"no object with a string '{TEXT}'")
            text = record.pop(TEXT)
            text.encode()  # half of a surrogate pair is no text
            has_texts = True
            yield from document_with_record(source, text, record, place)
        except (ValueError, RecursionError) as error:
            reason = error_text(error)
            if isinstance(error, UnicodeDecodeError):
                reason = not_utf8(error)
            first_error = first_error or f"line {number}: {reason}"
            source.report.add(place, "format", reason)
    if first_error and not has_texts:
        raise ReadError(f"{source.name}: {first_error}")


def document_with_record(
    source: Source, text: str, record: dict[str, Any], place: Place
) -> Iterator[Document]:
    """The document of a text that comes with other values, as a tokenized Doc which keeps them.

    A text that is too long is left out, since the other values belong to the whole.
    """
    if is_short(len(text), place, source.nlp, source.report):
        doc = source.nlp.make_doc(text)
        if record:
            doc.user_data[RECORD] = record_json(record)
        yield Document(place, doc)


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; one that is not UTF-8 is an error, or left out."""

    def skip(number: int, reason: str) -> None:
        source.report.add(Place(source.name, number), "format", reason)

    return numbered_lines(source.path, skip if source.options.skip_bad_lines else None)


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
        self.breaks = self.inside = 0

    @property
    def look_wrapped(self) -> bool:
        """True if most line breaks are inside a sentence."""
        return self.inside >= MIN_INSIDE and self.inside >= MIN_SHARE * self.breaks

    def __str__(self) -> str:
        return f"{self.inside} of {self.breaks} line breaks are inside a sentence"

    def counted(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Pass numbered lines on, and count the breaks between them."""
        before, width = "", 0
        for number, line in lines:
            width = max(width, len(line))
            if before and line:
                self.breaks += 1
                self.inside += (
                    before[-1] not in SENTENCE_ENDS
                    and line[0].islower()
                    and len(line.split(maxsplit=1)[0]) > width - len(before) - 1
                )
            before = line
            yield number, line


def is_short(length: int, place: Place, nlp: Language, report: ConversionReport) -> bool:
    """Report a text with more characters than the pipeline takes."""
    if length > nlp.max_length:
        report.add(place, "length", too_long(length, nlp.max_length))
    return length <= nlp.max_length


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


def cut_long_text(text: str, place: Place, nlp: Language, report: ConversionReport) -> list[str]:
    """Cut a text with more than `nlp.max_length` characters into parts, and report it."""
    parts = cut_text(text, nlp.max_length)
    reason = (
        f"the text has {len(text):,} characters, more than nlp.max_length = {nlp.max_length:,}, "
        f"and was read as {len(parts)} documents"
    )
    report.add(place, "length", reason, "cut")
    return parts


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
        places = [match.end() for match in ends.finditer(text, first, last + 2)]
        if within := [place for place in places if place <= last]:
            return within[-1]
    return last
