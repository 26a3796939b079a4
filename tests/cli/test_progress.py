"""Progress: on a terminal alone, by the lines of files where they can be counted."""

import gzip
import io
import sys
from pathlib import Path

import pytest
import spacy

from spacy_structparse.cli.progress import document_progress
from spacy_structparse.corpora.readers import InputFormat, read_docs
from spacy_structparse.corpora.report import ConversionReport


@pytest.mark.parametrize("is_terminal", [True, False])
def test_lines_of_several_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    screen = io.StringIO()
    screen.isatty = lambda: is_terminal  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", screen)
    nlp = spacy.blank("en")
    texts, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    texts.write_text("Dogs bark.\n\nCats sleep.\n")
    packed.write_bytes(gzip.compress(b"Old dogs sleep.\n\n"))
    inputs = [(path, InputFormat.text) for path in (texts, packed)]
    with document_progress(inputs) as progress:
        documents = (
            document for path, _ in inputs for document in read_docs(path, nlp, ConversionReport())
        )
        read = list(progress.reading(documents))  # ahead of the work
        for _ in progress.finishing(nlp.pipe(document.source for document in read)):
            pass
    shown = screen.getvalue()
    assert bool(shown) == is_terminal
    assert not shown or ("0/5" in shown and "5/5" in shown.splitlines()[-1])
