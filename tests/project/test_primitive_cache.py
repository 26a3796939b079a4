"""The number of functions that oneDNN keeps."""

import os
from pathlib import Path

import pytest

from spacy_structparse.corpora.options import ReadOptions
from spacy_structparse.processes import OF_A_PARSER, limit_compiled
from spacy_structparse.tools.corpus.parsing import CorpusFormat, FileParser, Job

VARIABLE = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"


def test_a_number_that_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "7")
    limit_compiled(99)
    assert os.environ[VARIABLE] == "7"
    monkeypatch.delenv(VARIABLE)
    limit_compiled(99)
    assert os.environ[VARIABLE] == "99"


def test_a_worker_keeps_some_for_each_parser(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a limit its memory would grow with every new length of a sentence."""
    monkeypatch.setenv(VARIABLE, "7")
    monkeypatch.delenv(VARIABLE)
    FileParser(Job(str(model), str(tmp_path), CorpusFormat.conllu, ReadOptions()))
    assert os.environ[VARIABLE] == str(OF_A_PARSER)
