"""Streaming reader of CoNLL-U, CoNLL-U Plus and CoNLL-X: a line a word, a block a sentence."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ..cycles import find_cycle
from ..errors import ReadError
from ..extensions.multiword import SurfaceUnit
from .conllu_columns import COLUMNS, EMPTY, PLACE
from .docs import TreebankSentence
from .report import OWN_HEADS
from .text_lines import decoded_lines

MAX_DIGITS = 9
"""Digits of an id or a head: more can be no position in a sentence."""
N_LOOKED_AT = 10_000
_PLUS = "# global.columns"
_ID = re.compile(rf"\d{{1,{MAX_DIGITS}}}(?:([-.])\d{{1,{MAX_DIGITS}}})?", re.ASCII)

NumberedLine = tuple[int, str]
NumberedRow = tuple[int, list[str]]
"""The number of a line in its file, and its columns."""


def read_conllu(path: Path, name: str = "") -> Iterator[TreebankSentence]:
    """Yield the sentences of a UTF-8 file, compressed by gzip or not, one by one, bad ones with
    their problem set.

    A sentence is a block of lines up to a blank line, and has at least one line that is a word,
    well-formed or not.

    Args:
        path: The file.
        name: Its name in messages. Empty: its path.

    Raises:
        ReadError: It is damaged, or bytes are not UTF-8; the error names file and line.
    """
    file = name or str(path)
    block: list[NumberedLine] = []
    has_words = False
    for number, line in conllu_lines(path, file):
        if line and not line.isspace():
            block.append((number, line))
            has_words = has_words or line[0] != "#"
        elif has_words:
            yield _parse_block(block, file)
            block, has_words = [], False
    if has_words:
        yield _parse_block(block, file)


def conllu_lines(path: Path, name: str) -> Iterator[NumberedLine]:
    """The lines of a file, compressed by gzip or not, with the ten columns of CoNLL-U.

    Raises `ReadError` where it is compressed and damaged or not UTF-8, or where the columns that
    the first line of a CoNLL-U Plus file names lack ID or FORM.
    """
    places: list[int | None] | None = None
    for number, text in decoded_lines(path, name=name):
        line = text.rstrip("\r\n")
        if number == 1 and line.startswith(_PLUS):
            names = line.partition("=")[2].split()
            if not {"ID", "FORM"} <= set(names):
                raise ReadError(f"{name}:1: global.columns names no ID or no FORM: {names}")
            places = [names.index(column) if column in names else None for column in COLUMNS]
            yield number, ""
        else:
            yield number, line if places is None else _ten_columns(line, places)


def _ten_columns(line: str, places: list[int | None]) -> str:
    """A line of CoNLL-U Plus with the columns of CoNLL-U: `_` where it has none of a name."""
    columns = line.split("\t")
    is_short = max(place for place in places if place is not None) >= len(columns)
    if is_short or line.startswith("#"):  # or blank; its sentence's problem says what is missing
        return line
    return "\t".join(EMPTY if place is None else columns[place] for place in places)


def _parse_block(block: list[NumberedLine], file: str) -> TreebankSentence:
    sentence = TreebankSentence(file, block[0][0], lines=[line for _, line in block])
    try:
        words, ranges = _word_and_range_rows(block, sentence)
        _read_words([columns for _, columns in words], sentence)
        _read_ranges(ranges, sentence)
    except ReadError as problem:
        sentence.format_problem = str(problem)
    else:
        sentence.heads_problem = _read_heads(words, sentence)
    return sentence


def _word_and_range_rows(
    block: list[NumberedLine], sentence: TreebankSentence
) -> tuple[list[NumberedRow], list[NumberedRow]]:
    """The rows of words and of multiword tokens; comments and empty nodes go to the sentence.

    Raises ReadError, without the file, for a line that is malformed.
    """
    words: list[NumberedRow] = []
    ranges: list[NumberedRow] = []
    for number, line in block:
        if line[0] == "#":
            _read_comment(line, sentence)
            continue
        columns = line.split("\t")
        expected, problem = len(words) + 1, ""
        if len(columns) != len(COLUMNS):
            hint = "; columns are separated by tabs" if "\t" not in line else ""
            problem = f"{len(columns)} columns where {len(COLUMNS)} are needed{hint}"
        elif not (match := _ID.fullmatch(columns[0])):
            problem = (
                f"the id {_quoted(columns[0])} is neither a number, nor a range such as 3-4, nor "
                "an empty node such as 8.1"
            )
        elif match[1] == "-":
            ranges.append((number, columns))
        elif match[1] == ".":
            sentence.n_empty_nodes += 1
        elif columns[0] != str(expected):
            problem = f"word {columns[0]} where word {expected} was expected"
            if columns[0] == "1":
                problem += ": is the empty line between two sentences missing?"
        elif not columns[1].strip():
            problem = "the form (column 2) is empty"
        else:
            words.append((number, columns))
        if problem:
            raise ReadError(f"line {number}: {problem}")
    if not words:
        raise ReadError(f"line {sentence.line}: no words")
    return words, ranges


def _read_comment(line: str, sentence: TreebankSentence) -> None:
    key, separator, value = line[1:].partition("=")
    key, value = key.strip(), value.strip()
    if key == "sent_id" and separator:
        sentence.sent_id = value
    elif key == "text" and separator:
        sentence.text = value
    elif key.partition(" ")[0] in ("newdoc", "newpar"):
        sentence.starts_text = True


def _read_words(rows: list[list[str]], sentence: TreebankSentence) -> None:
    """Fill all columns of a sentence but its heads."""
    _, forms, lemmas, upos, xpos, feats, _, deprels, _, misc = zip(*rows, strict=True)
    sentence.words = list(forms)
    # A lemma `_` is "none", but for the word `_` itself.
    sentence.lemmas = [
        "" if lemma == EMPTY != form else lemma for form, lemma in zip(forms, lemmas, strict=True)
    ]
    sentence.upos, sentence.xpos, sentence.feats = (
        ["" if value == EMPTY else value for value in column] for column in (upos, xpos, feats)
    )
    sentence.deprels = [None if label in (EMPTY, "") else label for label in deprels]
    sentence.space_after = list(map(_space_after, misc))
    sentence.spaces_known = sentence.text is not None or not all(sentence.space_after)


def _space_after(misc: str) -> bool:
    return misc == EMPTY or "SpaceAfter=No" not in misc.split("|")


def parse_number(text: str) -> int | None:
    """The number that ASCII digits spell, or None for anything else and for too many digits."""
    if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS:
        return int(text)
    return None


def _quoted(text: str) -> str:
    """The text for an error, cut off where it is long."""
    return repr(text if len(text) <= 40 else f"{text[:40]}…")


def _read_ranges(ranges: list[NumberedRow], sentence: TreebankSentence) -> None:
    """Turn `3-4` lines into surface tokens and say how their words are spaced."""
    previous = 0
    for number, columns in ranges:
        first, end = map(int, columns[0].split("-"))
        start = first - 1
        if not previous <= start < end <= len(sentence.words):
            raise ReadError(
                f"line {number}: the range {columns[0]} overlaps another, is out of order or "
                f"reaches outside the sentence's {len(sentence.words)} words"
            )
        form, space = columns[1], _space_after(columns[PLACE["MISC"]])
        # Words that spell the surface form (do+n't) touch; others (de+le for "du") do not.
        touching = "".join(sentence.words[start:end]) == form
        sentence.space_after[start:end] = [not touching] * (end - 1 - start) + [space]
        sentence.spaces_known = sentence.spaces_known or not space
        sentence.surface_tokens.append(SurfaceUnit(start, end, form, " " * space))
        previous = end


def _read_heads(rows: list[NumberedRow], sentence: TreebankSentence) -> str | None:
    """Fill `sentence.heads`; the problem, if they are not a tree, or None.

    A sentence without any known head, or with some unknown, is half-annotated and fine: then
    the known arcs must be free of cycles and have at most one root.
    """
    heads: list[int | None] = []
    roots: list[int] = []
    problems: list[str] = []
    for word, (number, columns) in enumerate(rows):
        value = columns[PLACE["HEAD"]]
        head, problem = parse_number(value), ""
        if value in (EMPTY, ""):
            heads.append(None)
            continue
        if head is None:
            problem = f"the head {_quoted(value)} is not a number"
        elif head > len(rows):
            problem = f"the head {head} is outside the sentence's {len(rows)} words"
        elif head == word + 1:
            problem = f"word {head} is its own head"
        elif head == 0:
            roots.append(number)
        if problem:
            problems.append(f"line {number}: {problem}")
        heads.append(None if problem or head is None else head - 1 if head else word)
    sentence.heads = heads
    if all(columns[PLACE["HEAD"]] == columns[0] for _, columns in rows):
        return f"line {rows[0][0]}: {OWN_HEADS}"
    if problems:
        return problems[0]
    if len(roots) > 1:
        return f"line {roots[1]}: {len(roots)} roots (the first on line {roots[0]})"
    cycle = find_cycle(heads)
    if cycle is not None:
        return f"line {rows[cycle][0]}: word {cycle + 1} is on a cycle of heads"
    return None


def has_xpos(path: Path) -> bool:
    """Tell if a file has XPOS tags: if more than 1 % of its first words, `N_LOOKED_AT`, have one.

    A treebank that leaves the column empty may have it filled in for a word by mistake.
    """
    rows = (line.split("\t") for _, line in conllu_lines(path, str(path)))
    words = (row for row in rows if len(row) == len(COLUMNS) and row[0].isdigit())
    tags = [row[PLACE["XPOS"]] for row in islice(words, N_LOOKED_AT)]
    return sum(tag != EMPTY for tag in tags) > len(tags) / 100
