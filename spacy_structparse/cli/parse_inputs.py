"""What `spacy structparse parse` reads: text files, `.spacy` files and the standard input."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.docbins import SUFFIX, docbin_files, read_docs

STANDARD_INPUT = "-"


class ParseInputError(ValueError):
    """An input that is not there or not text."""


def check_inputs(sources: Iterable[Path]) -> None:
    """Raise ParseInputError, or DocBinError for a folder, for an input that cannot be read, before
    anything is loaded for it."""
    for source in sources:
        if str(source) == STANDARD_INPUT:
            continue
        if source.is_dir():
            docbin_files(source)
        elif not source.exists():
            raise ParseInputError(f"{source} does not exist")


def read_inputs(sources: Iterable[Path], vocab: Vocab) -> Iterator[str | Doc]:
    """A text for every line that is not empty, and the Docs of `.spacy` files, one file after the
    other. A folder stands for the `.spacy` files in it.

    Raises ParseInputError or DocBinError, which name the file and what is wrong with it.
    """
    for source in sources:
        if source.is_dir() or source.suffix == SUFFIX:
            yield from read_docs(source, vocab)
        else:
            yield from _read_lines(source)


def _read_lines(source: Path) -> Iterator[str]:
    number = 0
    try:
        if str(source) == STANDARD_INPUT:
            for line in sys.stdin:
                number += 1
                if line.strip():
                    yield line.strip()
            return
        # A byte-order mark is no part of the first word.
        with source.open(encoding="utf-8-sig") as file:
            for line in file:
                number += 1
                if line.strip():
                    yield line.strip()
    except UnicodeDecodeError as error:
        # Text is decoded in blocks, so the line at fault is somewhere after the last one read.
        name = "the standard input" if str(source) == STANDARD_INPUT else str(source)
        raise ParseInputError(
            f"{name} is not UTF-8 text: after line {number}, {error.reason} "
            f"({error.object[error.start : error.end]!r})"
        ) from error
    except OSError as error:
        raise ParseInputError(f"{source}: {error.strerror or error}") from error
