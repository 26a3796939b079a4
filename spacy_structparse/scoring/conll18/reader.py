"""Reader of CoNLL-U files that are to be scored, as strict as the official program.

A file must be right to the last line: what is skipped on one side cannot be compared.
"""

import io
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from ...input_limits import UnpackError, file_lines
from .annotation import Annotation, Span, make_word
from .tree import WordLine, check_deps, resolve_heads, shown

N_COLUMNS = 10
BYTE_ORDER_MARK = "\ufeff"


class Conll18Error(ValueError):
    """A file that cannot be scored, or two files over different texts."""


def read_annotation(path: Path) -> Annotation:
    """Read a CoNLL-U file.

    Raises:
        Conll18Error: The file is not valid; the message has its name and the line.
        OSError: The file cannot be read.
    """
    try:
        content = b"".join(file_lines(path))
    except UnpackError as error:
        raise Conll18Error(f"{path}: {error}") from error
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        line = len(list(_lines(before + "x")))
        raise Conll18Error(
            f"{path}:{line}: not UTF-8 ({error.reason}). Convert the file to UTF-8."
        ) from None
    return _Reader(str(path), _lines(text)).read()


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, which end with a line feed, a carriage return or both."""
    return (line.rstrip("\n") for line in io.StringIO(text, newline=None))


def without_spaces(form: str) -> str:
    """Remove the spaces (Unicode category Zs) of a form."""
    return "".join(char for char in form if unicodedata.category(char) != "Zs")


class _Reader:
    def __init__(self, name: str, lines: Iterator[str]) -> None:
        self.lines = enumerate(lines, 1)
        self.number = 0
        self.annotation = Annotation(name)
        self.forms: list[str] = []
        self.length = 0
        # Of the sentence: whether it has a line that is no comment, its first character and word,
        # and the lines of its words.
        self.started = False
        self.first_character = 0
        self.first_word = 0
        self.word_lines: list[WordLine] = []

    def read(self) -> Annotation:
        while (line := self._next()) is not None:
            if not line:
                self._end_sentence()
            elif self.started or line[0] != "#":
                self.started = True
                self._read_line(line)
        if self.started:
            raise self._error("the file ends without an empty line after its last sentence")
        self.annotation.text = "".join(self.forms)
        return self.annotation

    def _next(self) -> str | None:
        self.number, line = next(self.lines, (self.number, None))
        return line

    def _error(self, problem: str, number: int | None = None) -> Conll18Error:
        return Conll18Error(f"{self.annotation.name}:{number or self.number}: {problem}")

    def _read_line(self, line: str) -> None:
        columns = self._columns(line)
        identifier = columns[0]
        if "." in identifier:
            # An empty node is no word of the text.
            return
        form = without_spaces(columns[1])
        if not form:
            raise self._error("the form (column 2) is empty")
        span = Span(self.length, self.length + len(form))
        self.forms.append(form)
        self.length = span.end
        self.annotation.tokens.append(span)
        self.annotation.token_lines.append(self.number)
        if "-" in identifier:
            self._read_multiword(identifier, span)
            return
        expected = len(self.word_lines) + 1
        found = _integer(identifier)
        if found is None:
            hint = " (the file begins with a byte-order mark: remove it)"
            raise self._error(
                f"the id {shown(identifier)} is neither a number, a range nor an empty node"
                + (hint if identifier.startswith(BYTE_ORDER_MARK) else "")
            )
        if found != expected:
            raise self._error(f"word {found} where word {expected} was expected")
        columns[1] = form
        self._add_word(columns, span, multiword=False)

    def _read_multiword(self, identifier: str, span: Span) -> None:
        """Read the words of a multiword token. As many lines follow as its range says; the
        official program does not look at their ids."""
        limits = [_integer(limit) for limit in identifier.split("-")]
        first, last = limits if len(limits) == 2 else (None, None)
        if first is None or last is None:
            raise self._error(f"the id {shown(identifier)} is not a range such as 3-4")
        started, missing = self.number, last + 1 - first
        while missing > 0:
            line = self._next()
            if not line:
                raise self._error(
                    f"the sentence ends inside the multiword token {identifier}", started
                )
            columns = self._columns(line)
            if "." not in columns[0]:
                if "-" in columns[0] and _integer(columns[6]) is None:
                    raise self._error(f"the range {columns[0]} overlaps the range {identifier}")
                self._add_word(columns, span, multiword=True)
                missing -= 1

    def _columns(self, line: str) -> list[str]:
        columns = line.split("\t")
        if len(columns) == N_COLUMNS:
            return columns
        if line[0] == "#":
            hint = ": a comment must stand before the first word of its sentence"
        elif line.startswith(f"{BYTE_ORDER_MARK}#"):
            hint = ": the file begins with a byte-order mark; remove it"
        elif "\t" not in line:
            hint = ": columns are separated by tabs"
        else:
            hint = ""
        found = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        raise self._error(f"{found} where {N_COLUMNS} are needed{hint}")

    def _add_word(self, columns: list[str], span: Span, *, multiword: bool) -> None:
        _, form, lemma, upos, xpos, feats, head, deprel, deps, _ = columns
        number = _integer(head)
        if number is None or number < 0:
            raise self._error(f"the head {shown(head)} (column 7) is not a number from 0 on")
        self.word_lines.append(WordLine(self.number, number, deps))
        # The head is set at the end of the sentence.
        word = make_word(span, form, multiword, 0, deprel, upos, xpos, feats, lemma)
        self.annotation.words.append(word)

    def _end_sentence(self) -> None:
        if not self.word_lines:
            raise self._error("an empty line, but no word since the last one; remove it")
        problem = check_deps(self.word_lines) or resolve_heads(
            self.word_lines, self.annotation.words, self.first_word
        )
        if problem:
            raise self._error(problem.text, problem.line)
        self.annotation.sentences.append(Span(self.first_character, self.length))
        self.started = False
        self.first_character = self.length
        self.first_word = len(self.annotation.words)
        self.word_lines = []


def _integer(text: str) -> int | None:
    """A number as Python reads it, or None."""
    try:
        return int(text)
    except ValueError:
        return None
