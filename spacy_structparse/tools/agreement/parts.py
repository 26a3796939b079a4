"""Docs kept in files until all are counted, and then put into one `.spacy` file or a folder."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spacy.tokens import DocBin

from ...corpora.convert import DOCBIN_ATTRS
from ...corpora.docbins import SUFFIX, load_docbin, subset_of
from ...files import folder_written_whole, temporary_folder, write_atomically
from .lengths import Sampler

PART = 1_000
"""Docs in memory at a time."""
FILE = 10_000
"""Docs in a file of a folder."""


class Parts:
    """Docs of a sentence each, in temporary files of a thousand."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.buckets: list[bytes] = []  # of each file, the bucket of each Doc
        self.available: Counter[int] = Counter()
        self._docs, self._buckets = empty_docbin(), bytearray()

    def add(self, docs: DocBin, buckets: Sequence[int]) -> None:
        """Add Docs, with the bucket of length of each."""
        start = 0
        while start < len(buckets):
            end = min(len(buckets), start + PART - len(self._docs))
            self._docs.merge(subset_of(docs, range(start, end)))
            self._buckets += bytes(buckets[start:end])
            if len(self._docs) == PART:
                self.flush()
            start = end

    def flush(self) -> None:
        """Write what is in memory."""
        if not len(self._docs):
            return
        write_atomically(self._path(len(self.buckets)), self._docs.to_bytes())
        self.buckets.append(bytes(self._buckets))
        self.available.update(self._buckets)
        self._docs, self._buckets = empty_docbin(), bytearray()

    def read(self, sampler: Sampler) -> Iterator[DocBin]:
        """The Docs that a sampler chooses, in their order, those of a file at a time."""
        for number, buckets in enumerate(self.buckets):
            docs = load_docbin(self._path(number))
            yield subset_of(docs, sampler.chosen(buckets))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:08}{SUFFIX}"


@contextmanager
def temporary_parts(output: Path) -> Iterator[Parts]:
    """Parts in a folder beside the output, which is removed when the block ends."""
    with temporary_folder(output.with_name(f"{output.name}.parts")) as folder:
        yield Parts(folder)


def is_file(output: Path) -> bool:
    """Whether an output is one `.spacy` file. Otherwise it is a folder of them."""
    return output.suffix == SUFFIX


def write_output(docbins: Iterator[DocBin], output: Path) -> None:
    """Write the Docs, whole or not at all.

    Args:
        docbins: The Docs.
        output: A `.spacy` file, for which all Docs are held in memory; or a folder, for which a
            file's are. Its files are called `silver-00000.spacy` and so on.

    Raises:
        OSError: It cannot be written, or the folder is there and not empty.
    """
    if is_file(output):
        write_atomically(output, _merged(docbins).to_bytes())
        return
    with folder_written_whole(output) as folder:
        for number, docs in enumerate(_files(docbins)):
            write_atomically(folder / f"silver-{number:05}{SUFFIX}", docs.to_bytes())


def _files(docbins: Iterator[DocBin]) -> Iterator[DocBin]:
    docs = empty_docbin()
    for some in docbins:
        docs.merge(some)
        if len(docs) >= FILE:
            yield docs
            docs = empty_docbin()
    if len(docs):
        yield docs


def _merged(docbins: Iterator[DocBin]) -> DocBin:
    docs = empty_docbin()
    for some in docbins:
        docs.merge(some)
    return docs


def empty_docbin() -> DocBin:
    """A DocBin of the attributes that are written."""
    return DocBin(attrs=DOCBIN_ATTRS)
