"""CoNLL-U files that are to be scored, read as strictly as the official program does, but for the
column DEPS, which is not scored and not read.

A file must be right to the last line: what is skipped on one side cannot be compared.
"""

import io
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...cycles import find_cycle
from ...errors import ReadError
from ...input_limits import file_lines
from .annotation import ROOT, Annotation, Span, Word
from .scores import Scores, score_annotations

N_COLUMNS = 10
Line = tuple[int, list[str]]
"""The number of a line, and its columns."""
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
        last = len(list(_lines(before + "x")))
        raise ReadError(
            f"{path}:{last}: not UTF-8 ({error.reason}). Convert the file to UTF-8."
        ) from None
    annotation = Annotation(str(path))
    sentence: list[Line] = []
    forms: list[str] = []
    number = 0
    for number, line in enumerate(_lines(text), 1):
        if not line:
            forms += _read_sentence(annotation, sentence, number)
            sentence = []
        elif sentence or line[0] != "#":
            sentence.append((number, _columns(line, f"{path}:{number}")))
    if sentence:
        _read_sentence(annotation, sentence, number)
        raise ReadError(
            f"{path}:{number}: the file ends without an empty line after its last sentence"
        )
    annotation.text = "".join(forms)
    return annotation


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, which end with a line feed, a carriage return or both."""
    return (line.rstrip("\n") for line in io.StringIO(text, newline=None))


def without_spaces(form: str) -> str:
    """Remove the spaces (Unicode category Zs) of a form."""
    return "".join(char for char in form if unicodedata.category(char) != "Zs")


def _columns(line: str, where: str) -> list[str]:
    columns = line.split("\t")
    if len(columns) != N_COLUMNS:
        raise ReadError(
            f"{where}: {shown(line)} has {len(columns)} of {N_COLUMNS} columns, which tabs separate"
        )
    return columns


def _read_sentence(annotation: Annotation, sentence: list[Line], end: int) -> list[str]:
    """Add a sentence to an annotation.

    Args:
        annotation: The annotation.
        sentence: The lines of the sentence.
        end: The number of the empty line after it.

    Returns:
        The forms of its tokens.
    """

    def error(problem: str, number: int) -> ReadError:
        return ReadError(f"{annotation.name}:{number}: {problem}")

    first_character = length = annotation.sentences[-1].end if annotation.sentences else 0
    forms: list[str] = []
    numbers: list[int] = []  # of the lines of the words
    words: list[Word] = []

    def add_word(number: int, columns: list[str], form: str, span: Span, multiword: bool) -> None:
        _, _, lemma, upos, xpos, feats, head, deprel, _, _ = columns
        place = _integer(head)
        if place is None or place < 0:
            raise error(f"the head {shown(head)} (column 7) is not a number from 0 on", number)
        numbers.append(number)
        words.append(Word(span, form, multiword, place - 1, deprel, upos, xpos, feats, lemma))

    # An empty node, whose id has a point, is no word of the text.
    lines = iter([(number, columns) for number, columns in sentence if "." not in columns[0]])
    for number, columns in lines:
        identifier, form = columns[0], without_spaces(columns[1])
        if not form:
            raise error("the form (column 2) is empty", number)
        span = Span(length, length + len(form))
        length = span.end
        forms.append(form)
        annotation.tokens.append(span)
        annotation.token_lines.append(number)
        if "-" in identifier:
            # As many lines follow as the range says; the official program does not read their ids.
            limits = [_integer(limit) for limit in identifier.split("-")]
            first, last = limits if len(limits) == 2 else (None, None)
            if first is None or last is None:
                raise error(f"the id {shown(identifier)} is not a range such as 3-4", number)
            inside = list(islice(lines, max(last + 1 - first, 0)))
            if len(inside) < last + 1 - first:
                raise error(f"the sentence ends inside the multiword token {identifier}", number)
            for number, columns in inside:
                add_word(number, columns, columns[1], span, multiword=True)
            continue
        place = _integer(identifier)
        if place is None:
            problem = f"the id {shown(identifier)} is neither a number, a range nor an empty node"
            raise error(problem, number)
        if place != len(words) + 1:
            raise error(f"word {place} where word {len(words) + 1} was expected", number)
        add_word(number, columns, form, span, multiword=False)
    if not words:
        raise error("an empty line, but no word since the last one; remove it", end)
    heads = [word.head for word in words]
    for place, head in enumerate(heads):
        if head >= len(words):
            problem = f"the head {shown(head + 1)} is outside the sentence's {len(words)} words"
            raise error(problem, numbers[place])
        if head == place:
            raise error(f"word {place + 1} is its own head", numbers[place])
    cycle = find_cycle([None if head == ROOT else head for head in heads])
    if cycle is not None:
        raise error(f"word {cycle + 1} is on a cycle of heads", numbers[cycle])
    roots = [number for number, head in zip(numbers, heads, strict=True) if head == ROOT]
    if len(roots) > 1:
        raise error(f"{len(roots)} roots (the first on line {roots[0]})", roots[1])
    for word in words:
        word.head += len(annotation.words) if word.head != ROOT else 0
    annotation.words += words
    annotation.sentences.append(Span(first_character, length))
    return forms


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
