"""The inputs of `spacy structparse parse`: treebanks, `.spacy` files, texts, the standard input."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc

from ..constraints import ConstraintError
from ..corpora.docbins import DocBinError
from ..corpora.document_ids import begin_document
from ..corpora.folders import files_under
from ..corpora.json_lines import read_json_lines
from ..corpora.leaf_lemmas import glued_lemmas
from ..corpora.long_texts import cut_text
from ..corpora.options import ConversionError, Labels
from ..corpora.paragraphs import LineBreaks, grouped_lines, on_one_line
from ..corpora.places import problem_at, set_place
from ..corpora.report import ConversionReport, Problem
from ..corpora.suffixes import kind_of
from ..corpora.text_lines import STANDARD_INPUT, TextReadError, name_of, numbered_lines
from ..corpora.treebank_docs import readable_twice
from ..sharding.manifest import ERRORS, has_no_shards
from ..sharding.parquet import ParquetError
from ..sharding.sentences import SentenceTableError
from .annotated_chunks import Chunk, chunks_of, docs_of_chunk
from .given_texts import GivenTextError, checked_texts, is_text, nearest_names
from .input_formats import BRACKETS, KINDS, SUFFIXES, TEXTS, InputFormat
from .messages import msg
from .parse_report import warn_of_wrapped
from .problems import list_problems


class InputFormatError(ValueError):
    """An input whose kind is not known, or does not do."""


Input = tuple[Path, InputFormat] | str
"""A file with its kind, or a text."""
KIND_OF_INPUTS = "Kind of all inputs, whatever their suffixes; of a folder, the kind to read"
KindOfInputs = Annotated[
    InputFormat | None, typer.Option("--input-format", "-i", help=KIND_OF_INPUTS)
]
_UNNAMED = (*TEXTS, *BRACKETS)
"""Kinds of files that have no ids of documents."""
READING_ERRORS = (
    GivenTextError,
    TextReadError,
    DocBinError,
    ConversionError,
    SentenceTableError,
    ParquetError,
)
"""What `InputReader.read` and texts that are given raise."""


class Paragraphs(str, Enum):
    """What ends a document in a text file."""

    line = "line"
    blank_line = "blank-line"
    none = "none"


SplitLemmas = Annotated[
    bool,
    typer.Option(
        "--split-lemmas",
        help="The leaves of trees are words with their lemmas, fór-fara, as in some .psd files: "
        "set them apart",
    ),
]
END_OF_TEXTS = (
    "What ends a document in a text file: every line, a blank line (lines that are wrapped are "
    "joined), or none of them: a file is a document"
)
EndOfTexts = Annotated[
    Paragraphs | None, typer.Option("--paragraphs", help=f"{END_OF_TEXTS}  [default: line]")
]


def find_inputs(
    sources: Collection[str],
    kind: InputFormat | None,
    *,
    texts: Collection[str] | None = None,
    gold: bool = False,
    complete: bool = False,
) -> list[Input]:
    """The files to parse, as `find_files` has them, and the texts.

    Args:
        sources: Files, folders, and `-` for the standard input; where no kind is given also texts,
            see :func:`~spacy_structparse.cli.given_texts.is_text`.
        kind: The kind of all files.
        texts: Texts, which come after the sources; None where the command has no option for them.
        gold, complete: Only kinds with annotation do.

    Raises:
        TextReadError, DocBinError, InputFormatError: See `find_files`. The last also where there
            are no inputs.
        GivenTextError: A text cannot be parsed.
    """
    found: list[Input] = []
    for source in sources:
        if kind is None and (not source or is_text(source)):
            found += checked_texts([source])
        elif source != STANDARD_INPUT and not os.path.exists(source):
            remedy = "" if texts is None else _remedy(source)
            raise TextReadError(f"{source} does not exist{remedy}")
        else:
            found += find_files([Path(source)], kind)
    found += checked_texts(texts or ())
    if not sources and not texts:
        raise InputFormatError(
            "there is no input: name a file, - for the standard input, or give "
            'a text, "Time flies." or --text TEXT'
        )
    for one in found:
        name, its_kind = (repr(one), InputFormat.text) if isinstance(one, str) else one
        if (gold or complete) and its_kind in TEXTS:
            option = "--gold writes" if gold else "--complete keeps"
            raise InputFormatError(
                f"{option} the annotation of the input, and {name} is {its_kind.value}, "
                "which has none"
            )
    return found


def files_of(inputs: Iterable[Input]) -> list[Path]:
    """The files among inputs."""
    return [one[0] for one in inputs if not isinstance(one, str)]


def find_files(sources: Iterable[Path], kind: InputFormat | None) -> list[tuple[Path, InputFormat]]:
    """The files to read, each with its kind: the one given, or that of its suffix.

    The standard input and pipes are text where no kind is given. A folder stands for the files of
    the kind given that `files_under` finds in it. Without a kind those are its `.spacy` files, or
    if there are none its files with annotation, which must be of one kind. A warning counts the
    texts that are left out for them. A folder of `parse-corpus` whose inputs are empty stands for
    no file.

    Args:
        sources: Files, folders, and `-` for the standard input.
        kind: The kind of all of them.

    Raises:
        TextReadError: A file does not exist.
        InputFormatError: A folder has no files of the kind, or of several, or the kind of a file is
            not known.
    """
    return [pair for source in sources for pair in _files_of(source, kind)]


def _files_of(source: Path, kind: InputFormat | None) -> list[tuple[Path, InputFormat]]:
    if str(source) == STANDARD_INPUT:
        return [(source, kind or InputFormat.text)]
    if source.is_dir():
        return _files_in(source, kind)
    if not source.exists():
        raise TextReadError(f"{source} does not exist")
    if kind is not None:
        return [(source, kind)]
    if not source.is_file():
        return [(source, InputFormat.text)]  # a pipe
    its_kind = kind_of(source.name, SUFFIXES)
    if its_kind is None:
        raise InputFormatError(
            f"the kind of {source} is not known by its suffix. Name it with --input-format. "
            f"The kinds, with their suffixes: {KINDS}"
        )
    return [(source, its_kind)]


def _remedy(name: str) -> str:
    near = nearest_names(name)
    if near:
        return f". Is it {near[0]}? A text is given by --text"
    return ". If it is a text, give it by --text"


def _files_in(folder: Path, kind: InputFormat | None) -> list[tuple[Path, InputFormat]]:
    """The files of a folder; see `find_files`."""
    found: dict[InputFormat, list[Path]] = {}
    for file in files_under(folder):
        its_kind = kind_of(file.name, SUFFIXES)
        if its_kind is not None:
            found.setdefault(its_kind, []).append(file)
    wanted = found.keys() - TEXTS if kind is None else found.keys() & {kind}
    if not wanted and has_no_shards(str(folder)):
        return []
    if kind is None:
        kinds = [InputFormat.spacy] if InputFormat.spacy in found else [*found.keys() - TEXTS]
        if len(kinds) > 1:
            names = " and ".join(sorted(one.value for one in kinds))
            raise InputFormatError(
                f"the folder {folder} has files of several kinds, {names}: name one with "
                "--input-format"
            )
        if not kinds:
            raise InputFormatError(
                f"the folder {folder} has no files with annotation. If it has texts, name their "
                f"kind with --input-format. The kinds: {KINDS}"
            )
        (kind,) = kinds
        texts = sorted(file for one in TEXTS for file in found.get(one, ()) if file.name != ERRORS)
        if texts:
            msg.warn(
                f"{folder}: its {kind.value} files are read, and {len(texts)} files with text are "
                f"not, the first {texts[0]}",
                "--input-format text reads them instead",
            )
    if kind not in found:
        raise InputFormatError(f"the folder {folder} has no {kind.value} files ({KINDS})")
    return [(file, kind) for file in found[kind]]


@dataclass
class InputReader:
    """Reads the inputs of `parse` as a stream of texts and Docs.

    No text has more than `nlp.max_length` characters. A longer one becomes several documents. In
    JSON lines it is left out, since its other values belong to the whole.

    Attributes:
        nlp: The pipeline, whose vocabulary the Docs have and whose tokenizer cuts JSON lines.
        prepare: Called with every Doc that came with annotation; what it returns is parsed.
        to_complete: The annotation is to be completed, as `treebank_chunks` has it. Every Doc has
            its place, and one is left out if `prepare` raises a ConstraintError.
        paragraphs: What ends a text in a text file. None: a line does, and `warn` names the files
            whose lines look wrapped.
        on_bad_line: Called with the number of a line of a text file that is not UTF-8, and the
            reason. The line is left out. Without it such a line is an error.
        labels, split_lemmas: Of the brackets of treebanks, as in `ConversionOptions`.
        report: What was read of treebank files, and what was left out or cut.
    """

    nlp: Language
    prepare: Callable[[Doc], Doc]
    to_complete: bool = False
    paragraphs: Paragraphs | None = None
    on_bad_line: Callable[[int, str], None] | None = None
    labels: Labels = "bare"
    split_lemmas: bool = False
    report: ConversionReport = field(default_factory=ConversionReport)
    _wrapped: list[str] = field(default_factory=list, init=False)

    @property
    def problems(self) -> Iterator[Problem]:
        """The sentences and texts that were left out, and the texts that were cut."""
        return (one for one in self.report.problems if one.consequence in ("skipped", "cut"))

    def warn(self, others: Iterable[Problem] = ()) -> None:
        """Print what the user should know of the inputs that were read.

        Args:
            others: Problems to list beside the reader's.
        """
        warn_of_wrapped(self._wrapped)
        list_problems(msg, [*self.problems, *others])
        if glued := glued_lemmas(self.report.counts):
            msg.warn(glued)

    def read(self, inputs: Iterable[Input]) -> Iterator[str | Doc]:
        """Read files one after the other; a given text is a document.

        Raises:
            TextReadError, DocBinError, ConversionError, SentenceTableError, ParquetError: An input
                cannot be read. The error names the file.
        """
        for one in inputs:
            if isinstance(one, str):
                is_short = len(one) <= self.nlp.max_length
                yield from [one] if is_short else self._cut(one, "the text", 1)
                continue
            source, kind = one
            if kind is InputFormat.text:
                yield from self._read_text(source)
            elif kind is InputFormat.jsonl:
                yield from read_json_lines(source, self.nlp, partial(self._skip, source))
            else:
                yield from self._prepared(self._read_gold(source, kind))

    def read_named(self, inputs: Iterable[Input]) -> Iterator[str | Doc]:
        """Read as `read` does. The first document of a file of texts or trees has its name as id.

        CoNLL-U and `.spacy` files have ids of their own. After a file with a name, all inputs have
        one, which is empty for a text and the standard input.
        """
        has_names = False
        for one in inputs:
            is_file = not isinstance(one, str) and str(one[0]) != STANDARD_INPUT
            has_names = has_names or (is_file and one[1] in _UNNAMED)
            documents = self.read([one])
            name = str(one[0]) if is_file else ""
            yield from (
                begin_document(documents, name, self.nlp.make_doc) if has_names else documents
            )

    def _prepared(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        for doc in docs:
            try:
                ready = self.prepare(doc)
            except ConstraintError as error:
                self.report.skip(problem_at(doc, "constraints", str(error)))
                continue
            yield ready

    def _read_gold(self, source: Path, kind: InputFormat) -> Iterator[Doc]:
        found = ConversionReport()
        name = name_of(source)
        with readable_twice(source) as path:
            docs = (
                doc
                for one in self.chunks(path, name, kind)
                for doc in docs_of_chunk(one, self.nlp.vocab, found)
            )
            for number, doc in enumerate(docs, 1):
                if self.to_complete and kind is InputFormat.spacy:
                    set_place(doc, name, 0, f"document {number}")
                yield doc
        self.add_report(found, name, kind)

    def chunks(self, path: Path, name: str, kind: InputFormat) -> Iterator[Chunk]:
        """The parts of a file with annotation; see `chunks_of`."""
        return chunks_of(
            path,
            name,
            kind,
            self.labels,
            split_lemmas=self.split_lemmas,
            to_complete=self.to_complete,
        )

    def add_report(self, found: ConversionReport, name: str, kind: InputFormat) -> None:
        """Add what was read of a whole file with annotation.

        Raises:
            ConversionError: None of its sentences could be read.
        """
        self.report += found
        # A sentence that conflicts was read, so the file is of its kind.
        is_read = found.counts["sentences_written"] or any(
            one.is_conflict for one in found.problems
        )
        if found.counts["sentences_skipped"] and not is_read:
            shown = "Penn brackets" if kind in BRACKETS else "CoNLL-U"
            raise ConversionError(
                f"No sentence of {name} could be read as {shown}. The first problem: "
                f"{found.problems[0]}"
            )

    def _read_text(self, source: Path) -> Iterator[str]:
        line_breaks = LineBreaks()
        lines = line_breaks.counted(numbered_lines(source, self.on_bad_line))
        ends = self.paragraphs or Paragraphs.line
        for number, text in grouped_lines(lines, ends.value):
            whole = on_one_line(text)
            if len(whole) <= self.nlp.max_length:
                yield whole
                continue
            # Blank lines and line breaks are places to cut it.
            for part in self._cut("\n".join(text), name_of(source), number):
                yield on_one_line(part.split("\n"))
        if line_breaks.look_wrapped and self.paragraphs is None:
            self._wrapped.append(f"{source}: {line_breaks}")

    def _cut(self, text: str, file: str, line: int) -> list[str]:
        """The parts of a text that is too long, which is recorded."""
        most = self.nlp.max_length
        parts = cut_text(text, most)
        reason = (
            f"the text has {len(text):,} characters, more than nlp.max_length = {most:,}, and was "
            f"read as {len(parts)} documents"
        )
        self.report.problems.append(Problem(file, line, "", "length", reason, "cut"))
        return parts

    def _skip(self, source: Path, line: int, kind: str, reason: str) -> None:
        """Record a line of JSON that is left out."""
        self.report.problems.append(Problem(name_of(source), line, "", kind, reason))
