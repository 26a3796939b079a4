"""Progress on the standard error of a terminal, with the time left where the total is known."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from tqdm import tqdm

from ..corpora.readers import InputFormat
from ..corpora.report import Document
from ..corpora.text_lines import byte_lines, name_of

WITHOUT_LINES = (InputFormat.spacy, InputFormat.parquet)


def progress_bar(unit: str, *, hidden: bool = False, **settings: Any) -> Any:
    """Return a bar of `tqdm`, which is shown on a terminal alone.

    Args:
        unit: The name of what is counted, in the plural.
        hidden: Do not show it on a terminal either.
        settings: Other settings of `tqdm`, such as `total`.
    """
    return tqdm(unit=f" {unit}", disable=hidden or not sys.stderr.isatty(), **settings)


class DocumentProgress:
    """A bar for documents that are read ahead of the work, and finished in the same order.

    Args:
        bar: The bar.
        starts: For each file the lines of the files before it; empty if lines are not counted.
    """

    def __init__(self, bar: Any, starts: dict[str, int]) -> None:
        self._bar, self._starts = bar, starts
        self._places: deque[int] = deque()

    def reading(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Pass documents on, and remember their places."""
        for number, document in enumerate(documents, 1):
            file, line, _ = document.place
            self._places.append(self._starts[file] + line if self._starts else number)
            yield document

    def finishing(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        """Pass Docs on, and move the bar to the place of each when the next one is asked for."""
        for doc in docs:
            yield doc
            self._bar.update(self._places.popleft() - self._bar.n)


@contextmanager
def document_progress(
    inputs: Iterable[tuple[Path | str, InputFormat]], *, hidden: bool = False
) -> Iterator[DocumentProgress]:
    """Show progress through the documents of inputs, by lines if all are files that have lines.

    Args:
        inputs: The files and texts with their kinds.
        hidden: Show nothing.
    """
    starts: dict[str, int] = {}
    total = 0
    hidden = hidden or not sys.stderr.isatty()
    for source, kind in () if hidden else inputs:
        if isinstance(source, str) or not source.is_file() or kind in WITHOUT_LINES:
            starts, total = {}, 0
            break
        starts[name_of(source)] = total
        total += sum(1 for _ in byte_lines(source))
    unit = "lines" if starts else "documents"
    with progress_bar(unit, total=total or None, hidden=hidden) as bar:
        yield DocumentProgress(bar, starts)
        bar.update(max(total - bar.n, 0))
