"""`spacy structparse train`: from a treebank's folder to a pipeline, in one command."""

import shutil
from pathlib import Path

import pytest
import spacy
import srsly

from spacy_structparse.cli import train
from spacy_structparse.nn.segmenter import training
from tests.helpers import commands

SAMPLE = Path(__file__).parents[2] / "assets" / "sample"


@pytest.fixture
def short(monkeypatch):
    """Let trainings end after two updates."""
    monkeypatch.setattr(train, "updates_in", lambda nlp, seconds: 2)
    monkeypatch.setattr(training, "MIN_UPDATES", 20)


def test_a_folder_must_have_its_parts(tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(SAMPLE / "train.conllu", tmp_path / "in")
    arguments = ("train", tmp_path / "in", tmp_path / "out", "--lang", "en")
    assert "'dev'" in commands.run(*arguments, status=1).output


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_a_treebank_becomes_a_pipeline(tmp_path):
    command = ("train", SAMPLE, tmp_path / "out", "--lang", "lzh", "--minutes", "1")
    commands.run(*command)
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert (nlp.lang, nlp.meta["language"]) == ("xx", "lzh")
    parsers = ["spa_dep", "seq2seq_constituency"]
    assert nlp.pipe_names == ["tok2vec", "tagger", "morphologizer", *parsers]  # there are no lemmas
    doc = nlp("The old dog sleeps. A cat sings.")
    assert doc.has_annotation("DEP")
    assert all(sentence._.constituency_tree is not None for sentence in doc.sents)
    scores = srsly.read_json(tmp_path / "out" / "scores.json")
    assert scores["dev"]["gold tokens"]["Words"] == 100
    assert 0 < scores["test"]["raw text"]["Words"] <= 100
    config = (tmp_path / "out" / "config.cfg").read_text(encoding="utf8")
    assert "max_steps = 2" in config

    weights = tmp_path / "out" / "pipeline" / "spa_dep" / "model"
    written = weights.stat().st_mtime_ns
    commands.run(*command)
    assert weights.stat().st_mtime_ns == written  # what is done is not done again
