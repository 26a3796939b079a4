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
    is_range,
    is_word_line,
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
            forget_confidence(lines)
        if confidence:
            add_confidence(lines, sentence, mean)
        blocks.append("\n".join(lines) + "\n\n")
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


def _fill(source: list[str] | None, rows: list[list[str]], kept: Collection[int]) -> list[str]:
    """The lines of the source, with the Doc's rows in them; the rows alone without a source."""
    if source is None:
        return ["\t".join(row) for row in rows]
    remaining = iter(rows)
    in_source = {line.partition("\t")[0] for line in source}
    lines = []
    for line in source:
        if line and line[0] != "\t":
            lines.append(line)
            continue
        row = next(remaining)
        if is_range(row):
            if row[0] not in in_source:
                lines.append("\t".join(row))
            row = next(remaining)
        own = line.split("\t") if line else []
        for place in kept if own else ():
            row[place] = own[place] or row[place]
        lines.append("\t".join(row))
    return lines


def _set_comments(
    lines: list[str], sentence: Span, sent_id: str, given: Mapping[str, Sequence[str]]
) -> None:
    """Add what is not there of `sent_id` and `text`, and name the columns that are given."""
    lines[:] = [line for line in lines if comment_key(line) != GIVEN_COMMENT]
    keys = {comment_key(line) for line in lines}
    if "text" not in keys:
        lines.insert(0, f"# text = {' '.join(surface_text(sentence).split())}")
    if sent_id and "sent_id" not in keys:
        lines.insert(0, f"# sent_id = {sent_id}")
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    names = [
        name
        for name in COLUMNS
        if (name in given or name == "DEPS") and any(row[PLACE[name]] != EMPTY for row in rows)
    ]
    if names:
        _add_comment(lines, GIVEN_COMMENT, " ".join(names))


def _add_comment(lines: list[str], key: str, value: str) -> None:
    """Add a comment after those at the beginning."""
    first = next(place for place, line in enumerate(lines) if not line.startswith("#"))
    lines.insert(first, f"# {key} = {value}")


COMMENT = "parse_confidence"
KEYS = dict(zip(ARC_NAMES, ("HeadConfidence", "DepConfidence"), strict=True))
"""The keys in MISC of the attributes of tokens."""


def add_confidence(lines: list[str], sentence: Span, mean: float | None) -> None:
    """Write how sure the parser is: `HeadConfidence` and `DepConfidence` in MISC, and the comment
    `parse_confidence`. What is not known is not written.

    Args:
        lines: The lines of a sentence, which are changed.
        sentence: The sentence.
        mean: Its parse confidence.
    """
    words = words_of(sentence)
    confidences = zip(*(arc_confidence(words, name, sentence.doc) for name in KEYS), strict=True)
    for place, line in enumerate(lines):
        if is_word_line(line):
            pairs = zip(KEYS.values(), next(confidences), strict=True)
            *columns, misc = line.split("\t")
            values = [] if misc == EMPTY else [misc]
            values += [f"{key}={share:.{DIGITS}f}" for key, share in pairs if share is not None]
            lines[place] = "\t".join([*columns, "|".join(values) or EMPTY])
    if mean is not None:
        _add_comment(lines, COMMENT, f"{mean:.{DIGITS}f}")


def forget_confidence(lines: list[str]) -> None:
    """Remove the confidence of an earlier parse from the lines of a sentence."""
    if not any("onfidence" in line for line in lines):
        return
    lines[:] = [line for line in lines if comment_key(line) != COMMENT]
    for place, line in enumerate(lines):
        if is_word_line(line):
            *columns, misc = line.split("\t")
            rest = [pair for pair in misc.split("|") if pair.partition("=")[0] not in KEYS.values()]
            lines[place] = "\t".join([*columns, "|".join(rest) or EMPTY])
