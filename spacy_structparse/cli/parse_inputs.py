"""The inputs of `spacy structparse parse`: text files, `.spacy` files, the standard input."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..corpora.docbins import SUFFIX, docbin_files, read_docs
from ..corpora.text_lines import STANDARD_INPUT, TextReadError, text_lines


def check_inputs(sources: Iterable[Path]) -> None:
    """Raise TextReadError, or DocBinError for a folder, for an input that cannot be read, before
    anything is loaded for it."""
    for source in sources:
        if str(source) == STANDARD_INPUT:
            continue
        if source.is_dir():
            docbin_files(source)
        elif not source.exists():
            raise TextReadError(f"{source} does not exist")


def read_inputs(sources: Iterable[Path], vocab: Vocab) -> Iterator[str | Doc]:
    """A text for every line that is not empty, and the Docs of `.spacy` files, one file after the
    other. A folder stands for the `.spacy` files in it.

    Raises TextReadError or DocBinError, which name the file and what is wrong with it.
    """
    for source in sources:
        if source.is_dir() or source.suffix == SUFFIX:
            yield from read_docs(source, vocab)
        else:
            yield from filter(None, text_lines(source))
