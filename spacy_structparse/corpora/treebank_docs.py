"""The sentences of a treebank file as Docs with gold annotation, one a sentence, in a stream."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..trees import TreeReadError
from .chunks import Task
from .conllu import ConlluReadError
from .convert import chunk_docs, treebank_tasks
from .options import ConversionError, ConversionOptions, Labels, TreebankPart
from .report import ConversionReport
from .text_lines import STANDARD_INPUT, TextReadError, name_of


@dataclass(frozen=True)
class TreebankChunk:
    """Some sentences of a file, which any process can read.

    Attributes:
        task: The sentences.
        options: How they are read.
        with_places: Each Doc has its place.
    """

    task: Task
    options: ConversionOptions
    with_places: bool


def treebank_chunks(
    path: Path,
    name: str,
    *,
    brackets: bool,
    labels: Labels = "bare",
    split_lemmas: bool = False,
    to_complete: bool = False,
) -> Iterator[TreebankChunk]:
    """Cut a file into parts of some hundred sentences.

    Args:
        path: A file that can be read twice.
        name: Its name in messages.
        brackets: It has Penn brackets. Otherwise it is CoNLL-U or CoNLL-X.
        labels, split_lemmas: Of brackets, as in `ConversionOptions`.
        to_complete: Leave out a sentence if no tree has all the heads that are there, and note the
            place of each Doc (see `set_place`). Otherwise such a sentence keeps its words.

    Raises:
        ConversionError: It is not UTF-8, or it is compressed and damaged.
    """
    options = ConversionOptions(
        bad_heads="skip" if to_complete else "words", labels=labels, split_lemmas=split_lemmas
    )
    part = TreebankPart(brackets=path) if brackets else TreebankPart(conllu=path)
    try:
        for task in treebank_tasks([part], options):
            yield TreebankChunk(_named(task, name), options, to_complete)
    except (ConlluReadError, TreeReadError) as error:
        # It may be a copy that the message names.
        raise ConversionError(str(error).replace(str(path), name)) from error


def sentences_in(chunk: TreebankChunk, vocab: Vocab, report: ConversionReport) -> Iterator[Doc]:
    """Read a part as `spacy structparse convert` does, a Doc a sentence.

    Args:
        chunk: The part.
        vocab: The vocabulary of the Docs.
        report: What was read and left out is added to it.

    Raises:
        ConversionError: It is not UTF-8.
    """
    try:
        yield from chunk_docs(
            chunk.task, chunk.options, vocab, report, with_places=chunk.with_places
        )
    except ConlluReadError as error:
        raise ConversionError(str(error)) from error


@contextmanager
def readable_twice(source: Path) -> Iterator[Path]:
    """A plain file with the content of an input: of the standard input or a pipe it is a copy."""
    if str(source) != STANDARD_INPUT and source.is_file():
        yield source
        return
    with tempfile.NamedTemporaryFile() as copy:
        try:
            if str(source) == STANDARD_INPUT:
                shutil.copyfileobj(sys.stdin.buffer, copy)
            else:
                with source.open("rb") as stream:
                    shutil.copyfileobj(stream, copy)
        except OSError as error:
            raise TextReadError(f"{name_of(source)}: {error.strerror or error}") from error
        copy.flush()
        yield Path(copy.name)


def _named(task: Task, name: str) -> Task:
    """The task with the name of the input in place of its copy's."""
    for error in task.tree_errors:
        error.name = name
    chunk = task.dependencies
    return replace(
        task,
        dependencies=chunk and replace(chunk, file=name),
        tree_file=name if task.tree_file else "",
    )
