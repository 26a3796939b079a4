"""Readers of files without annotation: text, JSON lines, and words between spaces."""

import re
from collections.abc import Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from .json_lines import RECORD, JsonLineError, json_texts, record_json
from .options import ReadOptions
from .report import ConversionReport, Document, Place, Problem
from .text_lines import (
    LineBreaks,
    TextReadError,
    cut_text,
    grouped_lines,
    numbered_lines,
    on_one_line,
    too_long,
)

# Other spaces, such as that within 20 000, may stand in a word.
_BETWEEN_WORDS = re.compile("[ \t]+")
_Part = tuple[Path, str]  # a whole file and its name: reading texts takes less time than parsing


class TextReader:
    """Reads the texts of a file; what ends a text is an option.

    A text with more than `nlp.max_length` characters is cut into several documents, and reported.
    """

    def parts(self, path: Path, name: str, options: ReadOptions) -> Iterator[_Part]:
        """Take a file as one part."""
        yield path, name

    def documents(
        self, part: _Part, nlp: Language, options: ReadOptions, report: ConversionReport
    ) -> Iterator[Document]:
        """Read the texts."""
        path, name = part
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


class WordsReader(TextReader):
    """Reads tokenized sentences: a sentence a line, with spaces between its words.

    A line is a document, or all lines up to a blank one are, as the options say.
    """

    def documents(
        self, part: _Part, nlp: Language, options: ReadOptions, report: ConversionReport
    ) -> Iterator[Document]:
        """Read the sentences as Docs with their words and sentence starts."""
        path, name = part
        lines = _lines(path, name, options, report)
        for number, group in grouped_lines(lines, options.paragraphs or "line"):
            sentences = [_BETWEEN_WORDS.split(line) for line in group if line]
            length = sum(map(len, group))
            if length > nlp.max_length:
                reason = too_long(length, nlp.max_length)
                report.problems.append(Problem(name, number, "", "length", reason))
                continue
            words = [word for sentence in sentences for word in sentence]
            starts: list[bool | int | None] = [
                place == 0 for sentence in sentences for place in range(len(sentence))
            ]
            yield Document(Place(name, number), Doc(nlp.vocab, words=words, sent_starts=starts))


class JsonReader(TextReader):
    """Reads the objects of JSON lines, whose other values stay with their Docs.

    A text that is too long is left out, since the other values belong to the whole.
    """

    def documents(
        self, part: _Part, nlp: Language, options: ReadOptions, report: ConversionReport
    ) -> Iterator[Document]:
        """Read the objects as tokenized Docs.

        Raises TextReadError if no line is an object with a text; it names the first.
        """
        path, name = part
        first_error = ""
        has_texts = False
        for number, text, record, error in json_texts(path):
            has_texts = has_texts or not error
            if len(text) > nlp.max_length:
                reason = too_long(len(text), nlp.max_length)
                report.problems.append(Problem(name, number, "", "length", reason))
                continue
            try:
                if error:
                    raise JsonLineError(error)
                doc = nlp.make_doc(text)
                if record:
                    doc.user_data[RECORD] = record_json(record)
            except (ValueError, RecursionError) as problem:
                first_error = first_error or f"line {number}: {problem}"
                report.problems.append(Problem(name, number, "", "format", str(problem)))
                continue
            yield Document(Place(name, number), doc)
        if first_error and not has_texts:
            raise TextReadError(f"{name}: {first_error}")


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
