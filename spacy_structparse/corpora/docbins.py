"""The Docs of `.spacy` files, with errors that name the file."""

import zlib
from collections.abc import Iterator
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

SUFFIX = ".spacy"


class DocBinError(ValueError):
    """A file that is not a whole `.spacy` file, or a folder without any."""


def docbin_files(path: Path) -> list[Path]:
    """A `.spacy` file, or all `.spacy` files under a folder in the order of their names.

    Raises DocBinError where there is none.
    """
    if not path.exists():
        raise DocBinError(f"{path} does not exist")
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob(f"*{SUFFIX}") if file.is_file())
    if not found:
        raise DocBinError(f"the folder {path} has no {SUFFIX} files")
    return found


def read_docs(path: Path, vocab: Vocab, spans: bool = True) -> Iterator[Doc]:
    """The Docs of a `.spacy` file or of all of them under a folder, empty Docs included.

    spans: with their span groups, trees among them, which take spaCy most of the time to read.
    Raises DocBinError for a file that is cut off or not a `.spacy` file.
    """
    for file in docbin_files(path):
        try:
            docs = DocBin().from_bytes(file.read_bytes())
        except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DocBinError(
                f"{file} is not a whole {SUFFIX} file ({error}); make it with 'spacy structparse "
                "convert'"
            ) from error
        if not spans:
            docs.span_groups = [b""] * len(docs.span_groups)
        yield from docs.get_docs(vocab)
