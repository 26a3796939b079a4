"""Parquet files: the tables of sentences that parse-corpus writes, and tables of texts."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ..cycles import find_cycle
from ..errors import ReadError
from ..escaping import error_text, errors_as
from ..extensions.confidence import ARC_NAMES
from ..trees import Tree
from .convert import POS_TAGS
from .docs import TreebankSentence, build_doc
from .document_ids import DOCUMENT, RECORD
from .options import Source
from .report import Document, Place
from .text_readers import document_with_record

_ROWS = 256  # that are in memory at a time
_NEEDED = ("document", "sentence", "text", "words")
Row = tuple[int, dict[str, Any]]
"""The number of a row, and its values."""


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


def read_parquet(source: Source) -> Iterator[Document]:
    """Read a table of sentences, as parse-corpus writes them, or a table of texts."""
    pyarrow, pq = import_parquet()
    try:
        with source.path.open("rb") as file:
            table = pq.ParquetFile(file)
            if set(_NEEDED) <= set(table.schema_arrow.names):
                for rows in _documents(_sentence_rows(table, source.name)):
                    yield from _document(source, rows)
            else:
                yield from _texts(source, table)
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = f"it is not a whole parquet file: {error_text(error)}"
        raise ReadError(f"{source.name}: {reason}") from error


def _sentence_rows(table: Any, name: str) -> Iterator[Row]:
    pyarrow, _ = import_parquet()
    names = {name for name in table.schema_arrow.names if "confidence" not in name}
    schema = pyarrow.schema([field for field in sentence_schema() if field.name in names])
    first = 0
    for batch in table.iter_batches(_ROWS, columns=schema.names):
        rows = pyarrow.Table.from_batches([batch]).select(schema.names)
        with _errors_named(name, first):
            records = rows.cast(schema).to_pylist()
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


def _texts(source: Source, table: Any) -> Iterator[Document]:
    """The documents of a table of texts; other columns go with them, as those of JSON lines."""
    column = source.options.column
    if column not in table.schema_arrow.names:
        columns = ", ".join(table.schema_arrow.names) or "none"
        raise ReadError(f"{source.name} has no column {column!r}. Its columns: {columns}")
    records = (record for batch in table.iter_batches(_ROWS) for record in batch.to_pylist())
    for number, record in enumerate(records):
        place = _place(source.name, number)
        text = record.pop(column)
        if isinstance(text, str):
            yield from document_with_record(source, text, record, place)
        else:
            value = "nothing" if text is None else type(text).__name__
            source.report.add(place, "format", f"column {column!r} has no text, but {value}")


def _document(source: Source, rows: Sequence[Row]) -> Iterator[Document]:
    """The document of some rows, none if it is left out.

    A document with heads that are no tree keeps its other columns, or is left out: an option.
    """
    _, name, nlp, options, report = source
    first, values = rows[0]
    sentences: list[TreebankSentence] = []
    for number, record in rows:
        with _errors_named(name, number):
            sentences.append(_sentence(record, name, number))
    if any(sentence.heads for sentence in sentences):
        bad = [sentence for sentence in sentences if not _is_tree(sentence.heads)]
        if bad and options.bad_heads == "skip":
            report.add(_place(name, first), "heads", f"the heads of row {bad[0].line} are no tree")
            return
        reason = "its heads are no tree, so its document has no dependencies"
        for sentence in bad:
            report.add(sentence.place, "heads", reason, "dependencies left out")
        for sentence in sentences if bad else ():
            sentence.heads_problem = reason
    with _errors_named(name, first):
        doc = build_doc(nlp.vocab, sentences)
    doc.user_data[DOCUMENT] = values["document"]
    if values.get("meta"):
        doc.user_data[RECORD] = values["meta"]
    yield Document(_place(name, first), doc, is_annotated=True)


def _sentence(record: dict[str, Any], name: str, number: int) -> TreebankSentence:
    """The sentence of a row. Raises ValueError or TypeError for values that are none of words."""
    words = record["words"]
    if not words or not all(words):
        raise ValueError("'words' is no list of words")
    columns = {key: record.get(key) for key in ("tags", "pos", "heads", "deps")}
    for key, column in columns.items():
        if column is not None and (len(column) != len(words) or None in column):
            raise ValueError(f"{key!r} is not a value for each of {len(words)} words")
    if not all(0 <= head < len(words) for head in columns["heads"] or ()):
        raise ValueError(f"'heads' is not an index for each of {len(words)} words")
    tree = record.get("tree")
    return TreebankSentence(
        name,
        number,
        words=words,
        space_after=_spaces(words, record["text"] or ""),
        spaces_known=True,
        xpos=columns["tags"] or [""] * len(words),
        upos=[tag if tag in POS_TAGS else "" for tag in columns["pos"] or [""] * len(words)],
        heads=columns["heads"] or [],
        deprels=columns["deps"] or [""] * len(words),
        tree=None if tree is None else Tree.from_string(tree),
    )


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


def _is_tree(heads: list[int | None]) -> bool:
    """Return True if heads have one root and no cycle."""
    n_roots = sum(head == word for word, head in enumerate(heads))
    return n_roots == 1 and find_cycle(heads) is None


def _place(name: str, number: int) -> Place:
    """The place of a document that begins at a row."""
    return Place(name, 0, f"row {number}, from 0")


def _errors_named(name: str, number: int) -> AbstractContextManager[None]:
    remedy = "Write the file again with 'spacy structparse parse-corpus'"
    return errors_as(ReadError, f"{name}, row {number} (from 0)", remedy)
