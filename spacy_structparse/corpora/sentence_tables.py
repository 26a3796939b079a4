"""Parquet files: the tables of sentences that parse-corpus writes, and tables of texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.vocab import Vocab

from ..cycles import find_cycle
from ..errors import ReadError
from ..escaping import error_text, escape_control
from ..extensions.confidence import ARC_NAMES
from ..trees import Tree
from .docs import POS_TAGS, TreebankSentence, build_doc
from .document_ids import DOCUMENT, RECORD, record_json
from .options import ReadOptions
from .report import ConversionReport, Document, Place, Problem
from .text_readers import is_short

_ROWS = 256  # that are in memory at a time
_NEEDED = ("document", "sentence", "text", "words")


def import_parquet() -> tuple[Any, Any]:
    """The modules `pyarrow` and `pyarrow.parquet`.

    Raises ReadError, which says how to get them.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ReadError(
            "parquet files need PyArrow: pip install 'spacy-structparse[corpus]'"
        ) from error
    return pyarrow, pyarrow.parquet


def sentence_schema() -> Any:
    """The columns of a table of sentences, and their types."""
    pyarrow, _ = import_parquet()
    text, number, share = pyarrow.string(), pyarrow.int32(), pyarrow.float32()
    columns = {
        "document": text,
        "sentence": number,
        "text": text,
        "words": pyarrow.list_(text),
        "tags": pyarrow.list_(text),
        "pos": pyarrow.list_(text),
        "heads": pyarrow.list_(number),
        "deps": pyarrow.list_(text),
        "tree": text,
        "parse_confidence": share,
        **{name: pyarrow.list_(share) for name in ARC_NAMES},
        "meta": text,
    }
    return pyarrow.schema(list(columns.items()))


def read_parquet(
    path: Path, name: str, nlp: Language, options: ReadOptions, report: ConversionReport
) -> Iterator[Document]:
    """Read a table of sentences, as parse-corpus writes them, or a table of texts."""
    pyarrow, pq = import_parquet()
    try:
        with path.open("rb") as file:
            table = pq.ParquetFile(file)
            if set(_NEEDED) <= set(table.schema_arrow.names):
                for rows in _documents(_sentence_rows(table, name)):
                    yield from _document(nlp.vocab, name, rows, options, report)
            else:
                yield from _texts(table, name, nlp, options, report)
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ReadError(f"{name}: it is not a whole parquet file: {error_text(error)}") from error


Row = tuple[int, dict[str, Any]]
"""The number of a row, and its values."""


def _sentence_rows(table: Any, name: str) -> Iterator[Row]:
    pyarrow, _ = import_parquet()
    names = {name for name in table.schema_arrow.names if "confidence" not in name}
    schema = pyarrow.schema([field for field in sentence_schema() if field.name in names])
    first = 0
    for batch in table.iter_batches(_ROWS, columns=schema.names):
        rows = pyarrow.Table.from_batches([batch]).select(schema.names)
        try:
            records = rows.cast(schema).to_pylist()
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
            raise _wrong_row(name, first, error) from error
        yield from enumerate(records, first)
        first += len(records)


def _documents(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Group the rows of each document."""
    group: list[Row] = []
    for number, record in rows:
        before = group[-1][1] if group else record
        place, last = record["sentence"] or 0, before["sentence"] or 0
        if group and (before["document"] != record["document"] or place <= last):
            yield group
            group = []
        group.append((number, record))
    if group:
        yield group


def _texts(
    table: Any, name: str, nlp: Language, options: ReadOptions, report: ConversionReport
) -> Iterator[Document]:
    """The documents of a table of texts; other columns go with them, as those of JSON lines."""
    if options.column not in table.schema_arrow.names:
        columns = ", ".join(table.schema_arrow.names) or "none"
        raise ReadError(f"{name} has no column {options.column!r}. Its columns: {columns}")
    records = (record for batch in table.iter_batches(_ROWS) for record in batch.to_pylist())
    for number, record in enumerate(records):
        place = Place(name, 0, _row(number))
        text = record.pop(options.column)
        if not isinstance(text, str):
            found = "nothing" if text is None else type(text).__name__
            reason = f"column {options.column!r} has no text, but {found}"
            report.problems.append(Problem(*place, "format", reason))
        elif is_short(len(text), place, nlp, report):
            doc = nlp.make_doc(text)
            if record:
                doc.user_data[RECORD] = record_json(record)
            yield Document(place, doc)


def _sentence(record: Mapping[str, Any], name: str, number: int) -> TreebankSentence:
    words = record["words"]
    if not words or not all(words):
        raise ValueError("'words' is no list of words")
    empty = [""] * len(words)
    heads = _column(record, "heads", words)
    if heads and not all(0 <= head < len(words) for head in heads):
        raise ValueError(f"'heads' is not an index for each of {len(words)} words")
    tree = record.get("tree")
    return TreebankSentence(
        file=name,
        line=number,
        sent_id="",
        words=words,
        spaces=_spaces(words, record["text"] or ""),
        tags=_column(record, "tags", words) or empty,
        pos=[tag if tag in POS_TAGS else "" for tag in _column(record, "pos", words) or empty],
        morphs=[],
        lemmas=[],
        heads=heads,
        deprels=_column(record, "deps", words) or empty,
        tree=None if tree is None else Tree.from_string(tree),
    )


def _column(record: Mapping[str, Any], key: str, words: Sequence[str]) -> list[Any] | None:
    """The value of a column for each word; None where it has none."""
    values = record.get(key)
    if values is not None and (len(values) != len(words) or None in values):
        raise ValueError(f"{key!r} is not a value for each of {len(words)} words")
    return values


def _spaces(words: Sequence[str], text: str) -> list[bool]:
    """Say for each word if a space follows it in the text. Words that the text has otherwise, as
    multiword tokens do, all have one."""
    spaces: list[bool] = []
    start = 0
    for word in words:
        if not text.startswith(word, start):
            return [True] * len(words)
        start += len(word)
        spaces.append(start == len(text) or text[start] == " ")
        start += spaces[-1]
    return spaces


def _document(
    vocab: Vocab, name: str, rows: Sequence[Row], options: ReadOptions, report: ConversionReport
) -> Iterator[Document]:
    """The document of some rows, none if it is left out.

    A document with heads that are no tree keeps its other columns, but is left out if the
    annotation is to be completed.
    """
    first, values = rows[0]
    place = Place(name, 0, _row(first))
    sentences: list[TreebankSentence] = []
    for number, record in rows:
        try:
            sentences.append(_sentence(record, name, number))
        except (ValueError, TypeError) as error:  # TreeReadError too
            raise _wrong_row(name, number, error) from error
    if any(sentence.heads is not None for sentence in sentences):
        bad = [sentence for sentence in sentences if not _is_tree(sentence.heads)]
        if bad and options.to_complete:
            reason = f"the heads of row {bad[0].line} are no tree"
            report.problems.append(Problem(*place, "heads", reason))
            return
        for sentence in bad:
            reason = "its heads are no tree, so its document has no dependencies"
            left_out = "dependencies left out"
            report.problems.append(Problem(name, sentence.line, "", "heads", reason, left_out))
        if bad:
            sentences = [replace(sentence, heads=None) for sentence in sentences]
    try:
        doc = build_doc(vocab, sentences)
    except ValueError as error:
        raise _wrong_row(name, first, error) from error
    doc.user_data[DOCUMENT] = values["document"]
    if values.get("meta"):
        doc.user_data[RECORD] = values["meta"]
    yield Document(place, doc, is_annotated=True)


def _row(number: int) -> str:
    """The place of a document that begins at a row."""
    return f"row {number}, from 0"


def _is_tree(heads: list[int | None] | None) -> bool:
    """Return True if heads have one root and no cycle."""
    if heads is None:
        return False
    n_roots = sum(head == word for word, head in enumerate(heads))
    return n_roots == 1 and find_cycle(heads) is None


def _wrong_row(name: str, number: int, error: Exception) -> ReadError:
    return ReadError(
        f"{name}, row {number} (from 0): {escape_control(str(error))}; write the file again with "
        "'spacy structparse parse-corpus'"
    )
