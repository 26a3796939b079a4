"""Parquet files: the tables of sentences that parse-corpus writes, and tables of texts."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.vocab import Vocab

from ..cycles import find_cycle
from ..printable import described, printable
from ..trees import Tree, TreeAlignmentError
from .docs import POS_TAGS, TreebankSentence, build_doc
from .document_ids import DOCUMENT
from .json_lines import RECORD, record_json
from .options import ReadOptions
from .report import ConversionReport, Document, Place, Problem, ReadError
from .text_lines import too_long

_ROWS = 256  # that are in memory at a time
_NEEDED = ("document", "sentence", "text", "words")
_READ = (*_NEEDED, "tags", "pos", "heads", "deps", "tree", "meta")


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


def is_sentence_table(path: Path, name: str) -> bool:
    """Whether a file is a table of sentences; any other one is a table of texts.

    Raises ReadError for a damaged file.
    """
    with _opened(path, name) as table:
        return not set(_NEEDED) - set(table.schema_arrow.names)


@dataclass(frozen=True)
class Rows:
    """Rows of a table, whole documents of a table of sentences.

    Attributes:
        path: The file.
        name: Its name in messages.
        group: The number of a group of rows. None: all of them.
        has_sentences: A row is a sentence. Otherwise it is a text.
    """

    path: Path
    name: str
    group: int | None = None
    has_sentences: bool = True


class ParquetReader:
    """Reads tables of sentences, as parse-corpus writes them, and tables of texts."""

    def parts(self, path: Path, name: str, options: ReadOptions) -> Iterator[Rows]:
        """Cut a table of sentences into its groups of rows; a table of texts is one part.

        A table in which a group does not begin with a document is one part too.
        """
        if not is_sentence_table(path, name):
            yield Rows(path, name, has_sentences=False)
            return
        with _opened(path, name) as table:
            n_groups = table.num_row_groups
            starts = [
                table.read_row_group(group, ["sentence"])["sentence"][0].as_py()
                for group in range(n_groups)
                if table.metadata.row_group(group).num_rows
            ]
        if n_groups > 1 and starts == [1] * n_groups:
            yield from (Rows(path, name, group) for group in range(n_groups))
        else:
            yield Rows(path, name)

    def documents(
        self, part: Rows, nlp: Language, options: ReadOptions, report: ConversionReport
    ) -> Iterator[Document]:
        """Read the documents of a part."""
        if not part.has_sentences:
            yield from _texts(part, nlp, options, report)
            return
        sentences: list[TreebankSentence] = []
        first: dict[str, Any] = {}
        before: tuple[str | None, int] | None = None
        for number, record in _records(part, _READ):
            position = (record["document"], record["sentence"] or 0)
            is_next = before and before[0] == position[0] and before[1] < position[1]
            if sentences and not is_next:
                yield from _document(nlp.vocab, sentences, first, options, report)
                sentences = []
            if not sentences:
                first = record
            try:
                sentences.append(_sentence(record, part.name, number))
            except (ValueError, TypeError) as error:  # TreeReadError too
                raise _wrong_row(part.name, number, error) from error
            before = position
        if sentences:
            yield from _document(nlp.vocab, sentences, first, options, report)


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Any]:
    """An open `ParquetFile`; errors of its content name the file."""
    pyarrow, pq = import_parquet()
    try:
        with path.open("rb") as file:
            yield pq.ParquetFile(file)
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ReadError(f"{name}: it is not a whole parquet file: {described(error)}") from error


def _records(
    rows: Rows, columns: Sequence[str] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number and the values of each row; None: of all columns."""
    with _opened(rows.path, rows.name) as table:
        known = table.schema_arrow.names
        wanted = known if columns is None else [name for name in columns if name in known]
        sizes = [table.metadata.row_group(group).num_rows for group in range(table.num_row_groups)]
        groups = list(range(len(sizes))) if rows.group is None else [rows.group]
        number = sum(sizes[: rows.group or 0])
        for batch in table.iter_batches(_ROWS, row_groups=groups, columns=wanted):
            for record in batch.to_pylist():
                yield number, record
                number += 1


def _texts(
    rows: Rows, nlp: Language, options: ReadOptions, report: ConversionReport
) -> Iterator[Document]:
    """The documents of a table of texts; other columns go with them, as those of JSON lines."""
    for number, record in _records(rows):
        place = Place(rows.name, 0, _row(number))
        if options.column not in record:
            columns = ", ".join(record) or "none"
            raise ReadError(f"{rows.name} has no column {options.column!r}. Its columns: {columns}")
        text = record.pop(options.column)
        if not isinstance(text, str):
            found = "nothing" if text is None else type(text).__name__
            reason = f"column {options.column!r} has no text, but {found}"
            report.problems.append(Problem(*place, "format", reason))
            continue
        if len(text) > nlp.max_length:
            report.problems.append(Problem(*place, "length", too_long(len(text), nlp.max_length)))
            continue
        doc = nlp.make_doc(text)
        if record:
            doc.user_data[RECORD] = record_json(record)
        yield Document(place, doc)


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
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _spaces(words: Sequence[str], text: Any) -> list[bool]:
    """Whether a space follows each word in the text. Words that the text has otherwise, as
    multiword tokens do, all have one."""
    spaces: list[bool] = []
    start = 0
    for word in words:
        if not isinstance(text, str) or not text.startswith(word, start):
            return [True] * len(words)
        start += len(word)
        spaces.append(start == len(text) or text[start] == " ")
        start += spaces[-1]
    return spaces


def _document(
    vocab: Vocab,
    sentences: list[TreebankSentence],
    first: Mapping[str, Any],
    options: ReadOptions,
    report: ConversionReport,
) -> Iterator[Document]:
    """The document of some sentences, none if it is left out; first: the values of its first row.

    A document with heads that are no tree keeps its other columns, but is left out if the
    annotation is to be completed.
    """
    place = Place(sentences[0].file, 0, _row(sentences[0].line))
    if any(sentence.heads is not None for sentence in sentences):
        bad = [sentence for sentence in sentences if not _is_tree(sentence.heads)]
        if bad and options.to_complete:
            reason = f"the heads of row {bad[0].line} are no tree"
            report.problems.append(Problem(*place, "heads", reason))
            return
        for sentence in bad:
            reason = "its heads are no tree, so its document has no dependencies"
            left_out = "dependencies left out"
            report.problems.append(
                Problem(sentence.file, sentence.line, "", "heads", reason, left_out)
            )
        if bad:
            sentences = [replace(sentence, heads=None) for sentence in sentences]
    try:
        doc = build_doc(vocab, sentences)
    except (TreeAlignmentError, ValueError) as error:
        raise _wrong_row(place.file, sentences[0].line, error) from error
    doc.user_data[DOCUMENT] = first["document"]
    if first.get("meta"):
        doc.user_data[RECORD] = first["meta"]
    yield Document(place, doc, is_annotated=True)


def _row(number: int) -> str:
    """The place of a document that begins at a row."""
    return f"row {number}, from 0"


def _is_tree(heads: list[int | None] | None) -> bool:
    """Whether heads have one root and no cycle."""
    if heads is None:
        return False
    n_roots = sum(head == word for word, head in enumerate(heads))
    return n_roots == 1 and find_cycle(heads) is None


def _wrong_row(name: str, number: int, error: Exception) -> ReadError:
    return ReadError(
        f"{name}, row {number} (from 0): {printable(str(error))}; write the file again with "
        "'spacy structparse parse-corpus'"
    )
