"""Docs as CoNLL-U, with confidence: of a sentence in a comment, of its words in MISC."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spacy.tokens import Doc, Span

from ..extensions.confidence import ARC_NAMES, DIGITS, arc_confidence, parse_confidence
from ..extensions.multiword import surface_text
from ..trees.words import sentences_of, words_of
from .conllu_columns import (
    COLUMNS,
    EMPTY,
    PLACE,
    SOURCE,
    comment_key,
    is_comment,
    is_range,
    sentence_rows,
    sentence_source,
)

GIVEN_COMMENT = "given_columns"
"""The comment that names the columns which came in with the input and were not predicted."""
ANNOTATION = COLUMNS[PLACE["LEMMA"] : PLACE["DEPREL"] + 1]
"""The columns that components predict."""
LOST = "lost"
"""The count, in the notes of a writer, of sentences whose lines no longer fit their tokens, and of
Docs whose given columns do not."""

# What no component predicts stays as it came in.
_KEPT = [PLACE[name] for name in ("FORM", "DEPS", "MISC")]


def doc_to_conllu(doc: Doc, sent_id: str = "", **settings: Any) -> str:
    """Write a Doc as CoNLL-U: the blocks of `conllu_blocks`, which takes the same arguments."""
    return "".join(conllu_blocks(doc, sent_id, **settings))


def conllu_blocks(
    doc: Doc,
    sent_id: str = "",
    *,
    columns: Collection[str] = ANNOTATION,
    given: Mapping[str, Sequence[str]] | None = None,
    gold: bool = False,
    confidence: bool = False,
    notes: Counter[str] | None = None,
) -> list[str]:
    """A block per sentence, each with its empty line; a Doc without sentence starts is one.

    Multiword tokens (`doc.spans["multiword"]`) get their range lines. Whitespace tokens have no
    line of their own. A Doc of a CoNLL-U file gets back its comments, empty nodes, DEPS and MISC.

    Args:
        doc: The Doc.
        sent_id: The beginning of the ids, `ID-1`, `ID-2`, …, of sentences that have none. No ids
            are added if it is empty.
        columns: The columns of `ANNOTATION` that the Doc's attributes fill. The others are empty.
        given: Other columns: a value for every token of the Doc. They are named, as DEPS are, in
            the comment `given_columns`.
        gold: Write the annotation that the Doc was made with. A Doc of a CoNLL-U file becomes the
            lines that it was read from.
        confidence: Write how sure the parsers were; see `add_confidence`. What the lines of the
            source say of an earlier parse is removed unless `gold` is set.
        notes: Counts values that had to be changed (`REPLACED`) and sentences whose lines are
            lost, since tokens or sentences are others by now (`LOST`).
    """
    given = given or {}
    notes = Counter() if notes is None else notes
    if any(len(values) != len(doc) for values in given.values()):
        given = {}
        notes[LOST] += 1
    blocks = []
    sentences = sentences_of(doc)
    means = list(map(parse_confidence, sentences)) if confidence else [None] * len(sentences)
    for number, (sentence, mean) in enumerate(zip(sentences, means, strict=True), start=1):
        changed: Counter[str] = Counter()
        rows = sentence_rows(sentence, changed)
        words = [row for row in rows if not is_range(row)]
        if not gold:
            _select(words, sentence, columns, given)
        source = sentence_source(sentence, len(words))
        if source is None and SOURCE in doc.user_data:
            notes[LOST] += 1
        lines = _fill(source, rows, range(1, len(COLUMNS)) if gold else _KEPT)
        if not gold or source is None:  # else it is given back as it came in
            notes.update(changed)
            name = f"{sent_id}-{number}" if sent_id else ""
            _set_comments(lines, sentence, name, {} if gold else given)
        if not gold:
            forget_confidence(lines, words)
        if confidence:
            add_confidence(lines, words, sentence, mean)
        blocks.append("".join("\t".join(line) + "\n" for line in lines) + "\n")
    return blocks


def gold_columns(doc: Doc, names: Collection[str]) -> dict[str, list[str]]:
    """Columns of the annotation that a Doc was made with: for each name a value for every token."""
    columns = {name: [EMPTY] * len(doc) for name in names}
    for sentence in sentences_of(doc):
        rows = sentence_rows(sentence)
        words = [row for row in rows if not is_range(row)]
        _fill(sentence_source(sentence, len(words)), rows, range(1, len(COLUMNS)))
        for word, token in zip(words, words_of(sentence), strict=True):
            for name, values in columns.items():
                values[token.i] = word[PLACE[name]]
    return columns


def _select(
    words: list[list[str]],
    sentence: Span,
    columns: Collection[str],
    given: Mapping[str, Sequence[str]],
) -> None:
    """Empty the columns that are not wanted, and set those that are given."""
    left_out = [PLACE[name] for name in ANNOTATION if name not in columns]
    for word, token in zip(words, words_of(sentence), strict=True):
        for place in left_out:
            word[place] = EMPTY
        for name, values in given.items():
            word[PLACE[name]] = values[token.i]


def _fill(
    source: list[list[str]] | None, rows: list[list[str]], kept: Collection[int]
) -> list[list[str]]:
    """The lines of the source, with the Doc's rows in them; the rows alone without a source."""
    if source is None:
        return rows
    remaining = iter(rows)
    in_source = {line[0] for line in source}
    lines = []
    for line in source:
        if not line[0]:
            row = next(remaining)
            if is_range(row):
                if row[0] not in in_source:
                    lines.append(row)
                row = next(remaining)
            for place in kept:
                row[place] = line[place] or row[place]
            line = row
        lines.append(line)
    return lines


def _set_comments(
    lines: list[list[str]], sentence: Span, sent_id: str, given: Mapping[str, Sequence[str]]
) -> None:
    """Add what is not there of `sent_id` and `text`, and name the columns that are given."""
    _remove_comment(lines, GIVEN_COMMENT)
    keys = {comment_key(line[0]) for line in lines}
    if "text" not in keys:
        lines.insert(0, [f"# text = {' '.join(surface_text(sentence).split())}"])
    if sent_id and "sent_id" not in keys:
        lines.insert(0, [f"# sent_id = {sent_id}"])
    rows = [line for line in lines if not is_comment(line)]
    names = [
        name
        for name in COLUMNS
        if (name in given or name == "DEPS") and any(row[PLACE[name]] != EMPTY for row in rows)
    ]
    if names:
        _add_comment(lines, GIVEN_COMMENT, " ".join(names))


def _add_comment(lines: list[list[str]], key: str, value: str) -> None:
    """Add a comment after those at the beginning."""
    first = next(place for place, line in enumerate(lines) if not is_comment(line))
    lines.insert(first, [f"# {key} = {value}"])


def _remove_comment(lines: list[list[str]], key: str) -> None:
    lines[:] = [line for line in lines if comment_key(line[0]) != key]


COMMENT = "parse_confidence"
KEYS = dict(zip(ARC_NAMES, ("HeadConfidence", "DepConfidence"), strict=True))
"""The keys in MISC of the attributes of tokens."""


def add_confidence(
    lines: list[list[str]], words: list[list[str]], sentence: Span, mean: float | None
) -> None:
    """Write how sure the parser is: `HeadConfidence` and `DepConfidence` in MISC, and the comment
    `parse_confidence`. What is not known is not written.

    Args:
        lines: The lines of a sentence, which are changed.
        words: Those of words.
        sentence: The sentence.
        mean: Its parse confidence.
    """
    tokens = words_of(sentence)
    for name, key in KEYS.items():
        for word, share in zip(words, arc_confidence(tokens, name, sentence.doc), strict=True):
            if share is not None:
                misc = "" if word[-1] == EMPTY else f"{word[-1]}|"
                word[-1] = f"{misc}{key}={share:.{DIGITS}f}"
    if mean is not None:
        _add_comment(lines, COMMENT, f"{mean:.{DIGITS}f}")


def forget_confidence(lines: list[list[str]], words: list[list[str]]) -> None:
    """Remove the confidence of an earlier parse from the lines of a sentence."""
    _remove_comment(lines, COMMENT)
    for word in words:
        if "Confidence" in word[-1]:
            pairs = word[-1].split("|")
            rest = [pair for pair in pairs if pair.partition("=")[0] not in KEYS.values()]
            word[-1] = "|".join(rest) or EMPTY
