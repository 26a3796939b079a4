"""Readers of files without annotation: text, JSON lines, and words between spaces."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import ReadError
from ..escaping import error_text
from .document_ids import RECORD, record_json
from .options import ReadOptions
from .report import ConversionReport, Document, Place, Problem
from .text_lines import (
    LineBreaks,
    byte_lines,
    cut_text,
    grouped_lines,
    not_utf8,
    numbered_lines,
    on_one_line,
    too_long,
)

# Other spaces, such as that within 20 000, may stand in a word.
_BETWEEN_WORDS = re.compile("[ \t]+")
TEXT = "text"
"""The key of the text in an object of JSON lines."""


def read_texts(
    path: Path, name: str, nlp: Language, options: ReadOptions, report: ConversionReport
) -> Iterator[Document]:
    """Read texts; what ends a text is an option.

    A text with more than `nlp.max_length` characters is cut into several documents, and reported.
    """
    line_breaks = LineBreaks()
    lines = line_breaks.counted(_lines(path, name, options, report))
    for number, text in grouped_lines(lines, options.paragraphs or "line"):
        place = Place(name, number)
        whole = on_one_line(text)
        if len(whole) <= nlp.max_length:
            yield Document(place, whole)
            continue
        # Blank lines and line breaks are places to cut it.
        for cut in cut_long_text("\n".join(text), place, nlp, report):
            yield Document(place, on_one_line(cut.split("\n")))
    if line_breaks.look_wrapped and options.paragraphs is None:
        report.wrapped.append(f"{name}: {line_breaks}")


def read_words(
    path: Path, name: str, nlp: Language, options: ReadOptions, report: ConversionReport
) -> Iterator[Document]:
    """Read tokenized sentences, a line each, as Docs with their words and sentence starts.

    A line is a document, or all lines up to a blank one are, as the options say.
    """
    lines = _lines(path, name, options, report)
    for number, group in grouped_lines(lines, options.paragraphs or "line"):
        place = Place(name, number)
        if is_short(sum(map(len, group)), place, nlp, report):
            sentences = [_BETWEEN_WORDS.split(line) for line in group if line]
            words = [word for sentence in sentences for word in sentence]
            starts: list[bool | int | None] = [
                place == 0 for sentence in sentences for place in range(len(sentence))
            ]
            yield Document(place, Doc(nlp.vocab, words=words, sent_starts=starts))


def read_json(
    path: Path, name: str, nlp: Language, options: ReadOptions, report: ConversionReport
) -> Iterator[Document]:
    """Read objects, a line each, as tokenized Docs which keep the other values.

    A text that is too long is left out, since the other values belong to the whole.

    Raises ReadError if no line is an object with a text; it names the first.
    """
    first_error = ""
    has_texts = False
    for number, line in enumerate(byte_lines(path), start=1):
        place = Place(name, number)
        if not line.strip():
            continue
        try:
            text, record = _text_and_record(line)
            has_texts = True
            if not is_short(len(text), place, nlp, report):
                continue
            doc = nlp.make_doc(text)
            doc.user_data |= {RECORD: record_json(record)} if record else {}
        except (ValueError, RecursionError) as error:
            decoded = isinstance(error, UnicodeDecodeError)
            reason = not_utf8(error) if decoded else error_text(error)  # type: ignore[arg-type]
            first_error = first_error or f"line {number}: {reason}"
            report.problems.append(Problem(*place, "format", reason))
            continue
        yield Document(place, doc)
    if first_error and not has_texts:
        raise ReadError(f"{name}: {first_error}")


def _text_and_record(line: bytes) -> tuple[str, dict[str, Any]]:
    """The text of an object, and its other values. Raises ValueError where it is none."""
    record = json.loads(line.decode())
    if not isinstance(record, dict) or not isinstance(record.get(TEXT), str):
        raise ValueError(f"no object with a string '{TEXT}'")
    text = record.pop(TEXT)
    text.encode()  # half of a surrogate pair is no text
    return text, record


def is_short(length: int, place: Place, nlp: Language, report: ConversionReport) -> bool:
    """Report a text with more characters than the pipeline takes."""
    if length > nlp.max_length:
        report.problems.append(Problem(*place, "length", too_long(length, nlp.max_length)))
    return length <= nlp.max_length


def cut_long_text(text: str, place: Place, nlp: Language, report: ConversionReport) -> list[str]:
    """Cut a text with more than `nlp.max_length` characters into parts, and report it."""
    parts = cut_text(text, nlp.max_length)
    reason = (
        f"the text has {len(text):,} characters, more than nlp.max_length = {nlp.max_length:,}, "
        f"and was read as {len(parts)} documents"
    )
    report.problems.append(Problem(*place, "length", reason, "cut"))
    return parts


def _lines(
    path: Path, name: str, options: ReadOptions, report: ConversionReport
) -> Iterator[tuple[int, str]]:
    """The lines with their numbers; one that is not UTF-8 is an error, or left out."""

    def skip(number: int, reason: str) -> None:
        report.problems.append(Problem(name, number, "", "format", reason))

    return numbered_lines(path, skip if options.skip_bad_lines else None)
