"""`spacy structparse train`: from a treebank's folder to a pipeline, in one command."""

import os
import shutil
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.vocab import Vocab

from spacy_structparse.cli import train
from spacy_structparse.cli.language_config import Fit, language_config
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.nn.segmenter import training
from spacy_structparse.tokenization import segmenter
from tests.helpers import commands

SAMPLE = Path(__file__).parents[2] / "assets" / "sample"


@pytest.fixture
def short(monkeypatch):
    """Let trainings end after two updates."""
    for module in ("train", "language_config"):
        name = f"spacy_structparse.cli.{module}.updates_in"
        monkeypatch.setattr(name, lambda nlp, seconds: Fit(2, 0.1, 2))
    monkeypatch.setattr(training, "MAX_UPDATES", 60)


def test_a_folder_must_have_its_parts(tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(SAMPLE / "dev.conllu", tmp_path / "in")
    arguments = ("train", tmp_path / "in", tmp_path / "out", "--lang", "en")
    assert "'train' in its name; its files: dev.conllu" in commands.said(*arguments, status=1)


def test_a_part_is_named_by_the_beginning_of_a_word(tmp_path):
    """In a name such as "latest-train", "test" is a part of another word."""
    (tmp_path / "in").mkdir()
    for part in ("train", "dev"):
        shutil.copy(SAMPLE / f"{part}.conllu", tmp_path / "in" / f"latest-{part}.conllu")
    assert set(train._converted(tmp_path / "in", tmp_path / "out")) == {"train", "dev"}


def test_the_end_of_train_stands_in_for_dev(tmp_path):
    (tmp_path / "in").mkdir()
    source = shutil.copy(SAMPLE / "train.conllu", tmp_path / "in")
    for _ in range(2):
        parts = train._converted(tmp_path / "in", tmp_path / "out")
        held = {part: list(read_docs(path, Vocab())) for part, path in parts.items()}
        assert {part: len(docs) for part, docs in held.items()} == {"train": 368, "dev": 40}
    commands.run("convert", source, tmp_path / "whole.spacy")
    whole = read_docs(tmp_path / "whole.spacy", Vocab())
    both = (*held["train"], *held["dev"])
    for doc, expected in zip(both, whole, strict=True):
        assert doc.to_json() == expected.to_json()
        assert doc.user_data == expected.user_data


def test_a_treebank_that_has_changed_is_not_trained_on_as_it_was(tmp_path):
    treebank = shutil.copytree(SAMPLE, tmp_path / "in")
    train._converted(treebank, tmp_path / "out")
    later = (tmp_path / "out" / "corpus" / "dev.spacy").stat().st_mtime + 1
    os.utime(treebank / "dev.conllu", (later, later))
    arguments = ("train", treebank, tmp_path / "out", "--lang", "en")
    assert "has changed since" in commands.said(*arguments, status=1)


def test_a_damaged_treebank_is_not_trained_on(tmp_path):
    """A command within this one that fails ends it, again when it is resumed."""
    (tmp_path / "in").mkdir()
    shutil.copy(SAMPLE / "dev.conllu", tmp_path / "in")
    sentence = "\n".join("\t".join(number * 10) for number in "123") + "\n\n"
    (tmp_path / "in" / "train.conllu").write_text(12 * sentence)
    arguments = ("train", tmp_path / "in", tmp_path / "out", "--lang", "en")
    for _ in range(2):
        output = commands.said(*arguments, status=1)
        assert "12 of 12 sentences have each word's own ID as its HEAD" in output
        assert "vocabulary" not in output and "no treebank file" not in output


def test_a_language_with_a_component_of_its_own(tmp_path):
    """The Japanese morphologizer has fewer settings than that of other languages."""
    commands.run("convert", SAMPLE / "train.conllu", tmp_path / "train.spacy")
    config = language_config(tmp_path / "train.spacy", "ja", 0, "none")
    nlp = spacy.util.load_model_from_config(config.interpolate(), auto_fill=True)
    assert nlp.lang == "ja" and "morphologizer" in nlp.pipe_names


@pytest.mark.slow
def test_trees_in_several_files_and_no_time(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "SHARE_OF_TRAINING", 0)
    for name in ("UNTIMED", "TIMED"):
        monkeypatch.setattr(f"spacy_structparse.cli.language_config.{name}", 1)
    (tmp_path / "in").mkdir()
    trees = (SAMPLE / "dev.ptb").read_text("utf8").splitlines(keepends=True)
    for number in range(2):
        (tmp_path / "in" / f"train-{number}.ptb").write_text("".join(trees[number::2]), "utf8")
    shutil.copy(SAMPLE / "dev.ptb", tmp_path / "in")
    # spaCy's tokenizer for this language may not be there.
    command = ("train", tmp_path / "in", tmp_path / "out", "--lang", "ja", "--minutes", "1")
    output = commands.said(*command)
    assert f"{len(trees)} of {len(trees)} sentences" in output
    assert "does not say where spaces are" in output
    scores = srsly.read_json(tmp_path / "out" / "scores.json")
    assert set(scores["dev"]) == {"gold tokens"} and "Brackets" in scores["dev"]["gold tokens"]
    config = spacy.util.load_config(tmp_path / "out" / "config.cfg")
    assert config["training"]["max_steps"] == 1
    assert config["components"]["seq2seq_constituency"]["model"]["encoder"] == "cnn"
    nlp = spacy.load(tmp_path / "out" / "pipeline")
    assert nlp.pipe_names[-1] == "seq2seq_constituency" and "spa_dep" not in nlp.pipe_names
    assert "it is only scored" in commands.said(*command)


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_a_treebank_becomes_a_pipeline(tmp_path, monkeypatch):
    learned = []
    train_segmenter = segmenter.train
    monkeypatch.setattr(
        segmenter, "train", lambda *some: (learned.append(1), train_segmenter(*some))
    )
    treebank = shutil.copytree(SAMPLE, tmp_path / "in")
    conllu = (SAMPLE / "train.conllu").read_text("utf8")
    # spaCy's default neg_prefix takes a tag that begins with "!" as one that a word does not have.
    (treebank / "train.conllu").write_text(conllu.replace("PUNCT\t.\t", "PUNCT\t!\t"), "utf8")
    command = ("train", treebank, tmp_path / "out", "--lang", "lzh", "--minutes", "1")
    output = commands.said(*command)
    assert "spaCy has no language 'lzh'" in output and "give more --minutes" in output
    assert "convolutions" in output and len(learned) == 1  # of two initializations
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
