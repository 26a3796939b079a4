"""The kinds of files that are read, each with its suffixes and its reader.

:func:`read_docs` reads a file of any kind, one document at a time.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from ..errors import ReadError
from ..input_limits import GZIP_SUFFIX
from . import docbins
from .convert import TreebankReader
from .options import ReadOptions, Source, TreebankPart
from .report import ConversionReport, Document, Place
from .sentence_tables import read_parquet
from .text_lines import STANDARD_INPUT, name_of
from .text_readers import read_json, read_texts, read_words

InputFormat = StrEnum("InputFormat", "conllu conll conllup ptb psd spacy parquet text jsonl words")
"""The kinds of input files, by the names that the command line has for them."""

Reader = Callable[[Source], Iterator[Document]]
"""Reads the documents of a file.

Raises:
    ReadError, OSError: It cannot be read.
"""


def read_treebank(source: Source, layer: str) -> Iterator[Document]:
    """Read CoNLL-U, CoNLL-U Plus or CoNLL-X (layer: conllu), or Penn brackets, a Doc a sentence."""
    path, name, nlp, options, report = source
    try:
        part = TreebankPart(**{layer: path})
        for place, doc in TreebankReader(options, report, name).docs([part], nlp.vocab):
            yield Document(place, doc, is_annotated=True)
    except ReadError as error:
        # It names the input, and not a copy of it.
        raise ReadError(str(error).replace(str(path), name)) from error


def read_docbin(source: Source) -> Iterator[Document]:
    """Read a `.spacy` file."""
    docs = docbins.read_docs(source.path, source.nlp.vocab, name=source.name)
    for number, doc in enumerate(docs, 1):
        yield Document(Place(source.name, 0, f"document {number}"), doc, is_annotated=True)


class _Kind(NamedTuple):
    """The reader of a kind of files, and the suffixes of their names."""

    read: Reader
    suffixes: tuple[str, ...]
    may_be_packed: bool = True


read_conllu = partial(read_treebank, layer="conllu")
read_brackets = partial(read_treebank, layer="brackets")
CTB_SUFFIXES = (".fid", ".nw", ".mz", ".bn", ".bc", ".wb", ".df", ".sc", ".cs")
"""The suffixes of Chinese Treebanks, one for each genre."""
_KINDS: dict[InputFormat, _Kind] = {
    InputFormat.conllu: _Kind(read_conllu, (".conllu",)),
    InputFormat.conll: _Kind(read_conllu, (".conll", ".conllx")),
    InputFormat.conllup: _Kind(read_conllu, (".conllup",)),
    InputFormat.ptb: _Kind(read_brackets, (".ptb", ".mrg", *CTB_SUFFIXES)),
    InputFormat.psd: _Kind(read_brackets, (".psd",)),
    InputFormat.spacy: _Kind(read_docbin, (".spacy",), may_be_packed=False),
    InputFormat.parquet: _Kind(read_parquet, (".parquet",), may_be_packed=False),
    InputFormat.text: _Kind(read_texts, (".txt", ".text")),
    InputFormat.jsonl: _Kind(read_json, (".jsonl",)),
    InputFormat.words: _Kind(read_words, (".words", ".tok")),
}
TEXTS = (InputFormat.text, InputFormat.jsonl, InputFormat.words)
"""Kinds without annotation, which are read in a stream."""
DEPENDENCIES = (InputFormat.conllu, InputFormat.conll, InputFormat.conllup)
BRACKETS = (InputFormat.ptb, InputFormat.psd)
_SHOWN = {kind: f"{kind.value} ({', '.join(its.suffixes[:2])})" for kind, its in _KINDS.items()}
SHOWN_KINDS = ", ".join(_SHOWN.values())
"""The kinds with their suffixes, for messages."""
SHOWN_TREEBANKS = ", ".join(_SHOWN[kind] for kind in (*DEPENDENCIES, *BRACKETS))
"""Those of treebanks."""


def kind_of(name: str) -> InputFormat | None:
    """The kind of a file by the suffix of its name, in upper or lower case; None: unknown."""
    lowered = name.lower()
    plain = lowered.removesuffix(GZIP_SUFFIX)
    for kind, (_, suffixes, may_be_packed) in _KINDS.items():
        if (plain if may_be_packed else lowered).endswith(suffixes):
            return kind
    return None


def read_docs(
    source: Path,
    nlp: Language,
    report: ConversionReport,
    *,
    kind: InputFormat | None = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008 it cannot be changed
    name: str | None = None,
) -> Iterator[Document]:
    """Read the unparsed documents of a file, one after the other.

    Args:
        source: The file, or `-` for the standard input.
        nlp: The pipeline: its vocabulary, tokenizer and `max_length` are used.
        report: Counts what was read, and lists what was left out: a bad document costs itself.
        kind: The kind of the file. None: that of its suffix, or else text.
        options: How it is read.
        name: The name of the file in messages and places. None: its path.

    Raises:
        ReadError: The file is damaged, or not of its kind: not one sentence can be read.
        OSError: It cannot be read.
    """
    kind = kind or kind_of(source.name) or InputFormat.text
    name = name or name_of(source)
    of_file = ConversionReport()
    try:
        with nullcontext(source) if kind in TEXTS else _readable_twice(source) as path:
            yield from _KINDS[kind].read(Source(path, name, nlp, options, of_file))
    finally:
        report += of_file
    counts, problems = of_file.counts, of_file.problems
    # A sentence that conflicts was read, so the file is of its kind.
    is_read = counts["sentences_written"] or any(problem.is_conflict for problem in problems)
    if counts["sentences_skipped"] and not is_read:
        shown = "Penn brackets" if kind in BRACKETS else "CoNLL-U"
        raise ReadError(
            f"No sentence of {name} could be read as {shown}. The first problem: {problems[0]}"
        )


@contextmanager
def _readable_twice(source: Path) -> Iterator[Path]:
    """A regular file with the content of an input: a copy of the standard input or of a pipe."""
    is_standard = str(source) == STANDARD_INPUT
    if not is_standard and source.is_file():
        yield source
        return
    with tempfile.NamedTemporaryFile() as copy:
        try:
            with nullcontext(sys.stdin.buffer) if is_standard else source.open("rb") as stream:
                shutil.copyfileobj(stream, copy)
        except OSError as error:
            raise ReadError(f"{name_of(source)}: {error.strerror or error}") from error
        copy.flush()
        yield Path(copy.name)
