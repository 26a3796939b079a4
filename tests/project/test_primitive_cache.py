"""The number of functions that oneDNN keeps."""

import os
from pathlib import Path

import pytest

from spacy_structparse.corpora.options import ReadOptions
from spacy_structparse.processes import OF_A_PARSER
from spacy_structparse.tools.corpus.parsing import CorpusFormat, FileParser, Job

VARIABLE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"


@pytest.mark.parametrize(("given", "kept"), [("7", "7"), ("", str(OF_A_PARSER))])
def test_a_worker_keeps_some_for_each_parser(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, kept: str
) -> None:
    """Without a limit its memory would grow with every new length. The user's number stays."""
    monkeypatch.setenv(VARIABLE, given)
    if not given:
        monkeypatch.delenv(VARIABLE)
    FileParser(Job(str(model), str(tmp_path), CorpusFormat.conllu, ReadOptions()))
    assert os.environ[VARIABLE] == kept
