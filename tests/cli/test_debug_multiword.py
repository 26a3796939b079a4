"""`spacy structparse debug` on multiword tokens that a tokenizer does not split."""

import pytest
import spacy
import srsly
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.corpora.reader import create_corpus_reader

CONFIG = """
[nlp]
lang = "fr"
pipeline = ["stack_lstm_dep"]
TOKENIZER
[components]
[components.stack_lstm_dep]
factory = "stack_lstm_dep"
"""
SPLITTER = """
[nlp.tokenizer]
@tokenizers = "spacy-structparse.mwt_splitter.v1"
"""
REMEDY = "add the tokenizer spacy-structparse.mwt_splitter.v1"


def debug(tmp_path, *arguments):
    """The warnings about multiword tokens, and the report."""
    report = tmp_path / "report.json"
    command = ["debug", *map(str, arguments), "--json", str(report)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    found = srsly.read_json(report)
    return [one for one in found["warnings"] if "multiword" in one], found


def write_config(tmp_path, tokenizer=""):
    path = tmp_path / "config.cfg"
    path.write_text(CONFIG.replace("TOKENIZER", tokenizer))
    return path


def test_a_tokenizer_that_does_not_split_is_warned_of(tmp_path, french):
    config = write_config(tmp_path)
    warnings, found = debug(tmp_path, french / "train.spacy", "--config", config)
    assert len(warnings) == 1
    assert (
        "does not split 73 of 73 multiword tokens as the data does: du (30), des (" in warnings[0]
    )
    assert REMEDY in warnings[0]
    assert found["train"]["corpus"]["multiword_tokens"] == 73


def test_a_splitter_that_will_learn_from_the_data_is_not(tmp_path, french):
    config = write_config(tmp_path, SPLITTER)
    assert debug(tmp_path, french / "train.spacy", "--config", config)[0] == []


def test_what_a_splitter_misses_in_dev_is_listed(tmp_path, french):
    config = write_config(tmp_path, SPLITTER)
    paths = french / "train.spacy", french / "test.spacy"
    (warning,) = debug(tmp_path, *paths, "--config", config)[0]
    assert warning.startswith("dev: ")
    assert "of 32 multiword tokens" in warning
    assert REMEDY not in warning


@pytest.mark.parametrize("tokenizer", ["", SPLITTER])
def test_a_trained_pipeline_is_judged_by_its_own_tokenizer(tmp_path, french, tokenizer):
    config = {"nlp": {"tokenizer": {"@tokenizers": "spacy-structparse.mwt_splitter.v1"}}}
    nlp = spacy.blank("fr", config=config if tokenizer else {})
    nlp.initialize(lambda: create_corpus_reader(french / "train.spacy")(nlp))
    nlp.to_disk(tmp_path / "pipeline")
    warnings, _ = debug(tmp_path, french / "train.spacy", "--config", tmp_path / "pipeline")
    assert len(warnings) == (0 if tokenizer else 1)
