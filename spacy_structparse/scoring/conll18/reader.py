"""CoNLL-U files that are to be scored, read as strictly as the official program does, but for the
column DEPS, which is not scored and not read.

A file must be right to the last line: what is skipped on one side cannot be compared.
"""

import io
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from ...cycles import find_cycle
from ...errors import ReadError
from ...input_limits import file_lines
from .annotation import ROOT, Annotation, Span, Word
from .scores import Scores, score_annotations

N_COLUMNS = 10
SHOWN = 20
"""Characters of a value, or of each text, that a message shows."""


def shown(value: int | str) -> str:
    """Quote a value for a message, shortened."""
    text = str(value)
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")


def read_annotation(path: Path) -> Annotation:
    """Read a CoNLL-U file.

    Raises:
        ReadError: The file is not valid; the message has its name and the line.
        OSError: The file cannot be read.
    """
    content = b"".join(file_lines(path))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        line = len(list(_lines(before + "x")))
        raise ReadError(
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
        # and the lines and heads (0: the root) of its words.
        self.started = False
        self.first_character = 0
        self.first_word = 0
        self.word_lines: list[tuple[int, int]] = []

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

    def _error(self, problem: str, number: int | None = None) -> ReadError:
        return ReadError(f"{self.annotation.name}:{number or self.number}: {problem}")

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
            raise self._error(
                f"the id {shown(identifier)} is neither a number, a range nor an empty node"
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
                self._add_word(columns, span, multiword=True)
                missing -= 1

    def _columns(self, line: str) -> list[str]:
        columns = line.split("\t")
        if len(columns) == N_COLUMNS:
            return columns
        raise self._error(
            f"{shown(line)} has {len(columns)} of {N_COLUMNS} columns, which tabs separate"
        )

    def _add_word(self, columns: list[str], span: Span, *, multiword: bool) -> None:
        _, form, lemma, upos, xpos, feats, head, deprel, _, _ = columns
        number = _integer(head)
        if number is None or number < 0:
            raise self._error(f"the head {shown(head)} (column 7) is not a number from 0 on")
        self.word_lines.append((self.number, number))
        # The head is set at the end of the sentence.
        word = Word(span, form, multiword, 0, deprel, upos, xpos, feats, lemma)
        self.annotation.words.append(word)

    def _end_sentence(self) -> None:
        if not self.word_lines:
            raise self._error("an empty line, but no word since the last one; remove it")
        self._resolve_heads()
        self.annotation.sentences.append(Span(self.first_character, self.length))
        self.started = False
        self.first_character = self.length
        self.first_word = len(self.annotation.words)
        self.word_lines = []

    def _resolve_heads(self) -> None:
        """Set the heads of the sentence's words, which must be one tree with one root."""
        n_words = len(self.word_lines)
        roots = []
        heads: list[int | None] = []
        for index, (number, head) in enumerate(self.word_lines):
            if head > n_words:
                problem = f"the head {shown(head)} is outside the sentence's {n_words} words"
                raise self._error(problem, number)
            if head == index + 1:
                raise self._error(f"word {head} is its own head", number)
            if not head:
                roots.append(number)
            heads.append(head - 1 if head else index)
        cycle = find_cycle(heads)
        if cycle is not None:
            line, _ = self.word_lines[cycle]
            raise self._error(f"word {cycle + 1} is on a cycle of heads", line)
        if len(roots) > 1:
            raise self._error(f"{len(roots)} roots (the first on line {roots[0]})", roots[1])
        words = self.annotation.words[self.first_word :]
        for word, (_, head) in zip(words, self.word_lines, strict=True):
            word.head = self.first_word + head - 1 if head else ROOT


def _integer(text: str) -> int | None:
    """A number as Python reads it, or None."""
    try:
        return int(text)
    except ValueError:
        return None


def score_files(gold: Path, system: Path) -> Scores:
    """Score a system's CoNLL-U file by a gold one over the same text.

    The figures are those of the official program. Sentences, tokens and words may differ.

    Args:
        gold: The gold file.
        system: The system's file.

    Raises:
        ReadError: A file is not valid, or the texts differ; the message has file and line.
        OSError: A file cannot be read.
    """
    annotations = read_annotation(gold), read_annotation(system)
    check_same_text(*annotations)
    return score_annotations(*annotations)


def check_same_text(gold: Annotation, system: Annotation) -> None:
    """Check that two annotations are of the same text, spaces left out.

    Raises:
        ReadError: The texts differ; the message says where.
    """
    if gold.text == system.text:
        return
    pairs = zip(gold.text, system.text, strict=False)
    shorter = min(len(gold.text), len(system.text))
    place = next((i for i, (one, other) in enumerate(pairs) if one != other), shorter)
    raise ReadError(
        f"the texts differ, spaces left out: {_place(gold, place)}, where {_place(system, place)}"
    )


def _place(annotation: Annotation, character: int) -> str:
    """Name the line of a character and the text from there on."""
    if character == len(annotation.text):
        return f"{annotation.name} ends"
    token = bisect_right(annotation.tokens, character, key=lambda span: span.start) - 1
    text = annotation.text[character : character + SHOWN]
    return f"{annotation.name}:{annotation.token_lines[token]} goes on with {text!r}"
