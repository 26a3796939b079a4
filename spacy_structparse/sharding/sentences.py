"""The parses that `parse-corpus` has written to parquet files, as Docs again."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.docs import build_doc
from ..corpora.document_ids import DOCUMENT
from ..corpora.json_lines import RECORD
from ..corpora.places import set_place
from ..corpora.report import ConversionReport, Problem
from ..corpora.sentence import POS_TAGS, TreebankSentence
from ..printable import printable
from ..trees import Tree, TreeAlignmentError
from ..trees.cycles import find_cycle
from .parquet import DamagedParquetError, parquet, reading_parquet, rows_between

_PLACE = ("document", "sentence")
_NEEDED = (*_PLACE, "text", "words")
_READ = (*_NEEDED, "tags", "pos", "heads", "deps", "tree", "meta")


class SentenceTableError(ValueError):
    """A parquet file that is damaged, or is no table of sentences."""


@dataclass(frozen=True)
class Rows:
    """Whole documents of a table of sentences.

    Attributes:
        path: The file.
        name: Its name in messages.
        start: The first row, from 0.
        end: The row after the last one.
        to_complete: The annotation is to be completed, as `document_rows` has it.
    """

    path: Path
    name: str
    start: int
    end: int
    to_complete: bool = False


def document_rows(path: Path, name: str, size: int, *, to_complete: bool = False) -> Iterator[Rows]:
    """The rows of a table of sentences in parts, each of `size` sentences or a few more.

    Args:
        path: The file.
        name: Its name in messages.
        size: A part ends with the document that fills it.
        to_complete: Leave out a document with heads that are no tree, and note the place of each
            Doc (see `set_place`). Otherwise such a document keeps its other columns.

    Raises:
        SentenceTableError: The file is damaged, or has other columns.
        ParquetError: PyArrow is missing.
        OSError: It cannot be read.
    """
    start = end = 0
    before: _Place | None = None
    for number, record in _records(Rows(path, name, 0, sys.maxsize), _PLACE):
        place = _Place.of(record)
        if place.starts_after(before) and number - start >= size:
            yield Rows(path, name, start, number, to_complete)
            start = number
        before, end = place, number + 1
    if start < end:
        yield Rows(path, name, start, end, to_complete)


def docs_of_rows(rows: Rows, vocab: Vocab, report: ConversionReport) -> Iterator[Doc]:
    """The documents of a part of a table.

    Args:
        rows: The part.
        vocab: The vocabulary of the Docs.
        report: Documents whose heads are no trees are added to it.

    Raises:
        SentenceTableError: The file is damaged, or a row does not fit together.
        OSError: The file cannot be read.
    """
    sentences: list[TreebankSentence] = []
    first: dict[str, Any] = {}
    before: _Place | None = None
    for number, record in _records(rows, _READ):
        place = _Place.of(record)
        if place.starts_after(before) and sentences:
            yield from _docs(vocab, sentences, first, rows, report)
            sentences = []
        if not sentences:
            first = record
        try:
            sentences.append(_sentence(record, rows.name, number))
        except (ValueError, TypeError) as error:  # TreeReadError too
            raise _wrong(rows.name, number, error) from error
        before = place
    if sentences:
        yield from _docs(vocab, sentences, first, rows, report)


class _Place(NamedTuple):
    """The place of a sentence in the corpus."""

    document: str | None
    sentence: int

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "_Place":
        return cls(record["document"], record["sentence"] or 0)

    def starts_after(self, before: "_Place | None") -> bool:
        """Whether a document starts here, after the sentence at another place."""
        return (
            before is None or self.document != before.document or self.sentence <= before.sentence
        )


def _records(rows: Rows, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number and the values of each row."""
    _, pq = parquet()
    try:
        with rows.path.open("rb") as file, reading_parquet():
            opened = pq.ParquetFile(file)
            known = set(opened.schema_arrow.names)
            if missing := [name for name in _NEEDED if name not in known]:
                raise SentenceTableError(
                    f"{rows.name} has no column {missing[0]!r}: it is no table of sentences that "
                    "'spacy structparse parse-corpus' wrote. That command parses tables of texts"
                )
            there = [name for name in columns if name in known]
            for number, batch, i in rows_between(opened, rows.start, rows.end, there):
                yield number, {name: batch.column(name)[i].as_py() for name in there}
    except DamagedParquetError as error:
        raise SentenceTableError(
            f"{rows.name}: {error}; write it again with 'spacy structparse parse-corpus'"
        ) from error


def _sentence(record: Mapping[str, Any], name: str, number: int) -> TreebankSentence:
    words = record["words"]
    if not words or not _are_strings(words) or not all(words):
        raise ValueError("'words' is no list of words")
    tree = record.get("tree")
    pos = _strings(record, "pos", len(words))
    return TreebankSentence(
        file=name,
        line=number,
        sent_id="",
        words=words,
        spaces=_spaces(words, record["text"]),
        tags=_strings(record, "tags", len(words)),
        pos=[tag if tag in POS_TAGS else "" for tag in pos],
        morphs=[],
        lemmas=[],
        heads=_heads(record, len(words)),
        deprels=_strings(record, "deps", len(words)),
        tree=None if tree is None else Tree.from_string(tree),
    )


def _strings(record: Mapping[str, Any], key: str, n_words: int) -> list[str]:
    """A value for each word, empty where there is none."""
    values = record.get(key)
    if values is None:
        return [""] * n_words
    if not _are_strings(values) or len(values) != n_words:
        raise ValueError(f"{key!r} is not a string for each of {n_words} words")
    return list(values)


def _heads(record: Mapping[str, Any], n_words: int) -> list[int | None] | None:
    heads = record.get("heads")
    if heads is None:
        return None
    if len(heads) != n_words or not all(
        isinstance(head, int) and 0 <= head < n_words for head in heads
    ):
        raise ValueError(f"'heads' is not an index for each of {n_words} words")
    return list(heads)


def _are_strings(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) for one in values)


def _spaces(words: Sequence[str], text: Any) -> list[bool]:
    """Whether a space follows each word in the text. Words that the text has otherwise, as
    multiword tokens do, all have one."""
    spaces: list[bool] = []
    place = 0
    for word in words:
        if not isinstance(text, str) or not text.startswith(word, place):
            return [True] * len(words)
        place += len(word)
        spaces.append(place == len(text) or text[place] == " ")
        place += spaces[-1]
    return spaces


def _docs(
    vocab: Vocab,
    sentences: list[TreebankSentence],
    first: Mapping[str, Any],
    rows: Rows,
    report: ConversionReport,
) -> Iterator[Doc]:
    """The Doc of a document; none if it is left out.

    Args:
        vocab: Its vocabulary.
        sentences: Its sentences.
        first: The values of the row with its first sentence.
        rows: The part that it is in.
        report: What is left out is added to it.
    """
    name, number = sentences[0].file, sentences[0].line
    if any(one.heads is not None for one in sentences):
        bad = [one for one in sentences if not _is_tree(one.heads)]
        if bad and rows.to_complete:
            reason = f"the heads of row {bad[0].line} are no tree"
            report.problems.append(Problem(name, 0, _row(number), "heads", reason))
            return
        for one in bad:
            reason = "its heads are no tree, so its document has no dependencies"
            report.problems.append(
                Problem(name, one.line, "", "heads", reason, "dependencies left out")
            )
        if bad:
            sentences = [replace(one, heads=None) for one in sentences]
    try:
        doc = build_doc(vocab, sentences)
    except (TreeAlignmentError, ValueError) as error:
        raise _wrong(name, number, error) from error
    doc.user_data[DOCUMENT] = first["document"]
    if first.get("meta"):
        doc.user_data[RECORD] = first["meta"]
    if rows.to_complete:
        set_place(doc, name, 0, _row(number))
    yield doc


def _row(number: int) -> str:
    """The place of a document that begins at a row."""
    return f"row {number}, from 0"


def _is_tree(heads: list[int | None] | None) -> bool:
    """Whether heads have one root and no cycle."""
    if heads is None:
        return False
    n_roots = sum(head == word for word, head in enumerate(heads))
    return n_roots == 1 and find_cycle(heads) is None


def _wrong(name: str, number: int, error: Exception) -> SentenceTableError:
    return SentenceTableError(
        f"{name}, row {number} (from 0): {printable(str(error))}; write the file again with "
        "'spacy structparse parse-corpus'"
    )
