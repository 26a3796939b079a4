"""`spacy structparse lm nearest`."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from tests.helpers.commands import run, said

SMALL = {
    "hidden_width": 8,
    "hidden_depth": 1,
    "element_width": 8,
    "state_width": 8,
    "encoder_width": 0,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A pipeline whose parser has learned four words."""
    nlp = spacy.blank("en")
    embedding = {"@architectures": "spacy-structparse.TokenEmbedding.v1", "width": 8}
    nlp.add_pipe("stack_lstm_dep", config={"model": {**SMALL, "tok2vec": embedding}})
    doc = Doc(nlp.vocab, words=["She", "reads", "old", "old", "books"])
    deps = {"heads": [1, 1, 4, 4, 1], "deps": ["nsubj", "ROOT", "amod", "amod", "dobj"]}
    nlp.initialize(lambda: [Example.from_dict(doc, deps)])
    path = tmp_path_factory.mktemp("nearest") / "model"
    nlp.to_disk(path)
    return path


def rows(*arguments):
    lines = run("lm", "nearest", *arguments).output.splitlines()
    return [line.split() for line in lines if line.strip()[:1].isdigit()]


def test_both_metrics_side_by_side(model):
    header = "Euclidean distance Cosine similarity"
    assert header in said("lm", "nearest", model, "reads", "old")
    found = rows(model, "reads", "old")
    assert len(found) == 6 and [row[0] for row in found] == ["1", "2", "3"] * 2
    for column in (1, 3):
        assert {row[column] for row in found[:3]} == {"She", "old", "books"}
    assert [row[2] for row in found[:3]] == sorted(row[2] for row in found[:3])


def test_options(model):
    assert len(rows(model, "reads", "--n", 2)) == 2
    (found,) = rows(model, "reads", "--skip-once")
    assert found[1] == "old"
    assert rows(model, "reads", "--component", "stack_lstm_dep")


def test_unknown_words_are_all_named(model):
    output = said("lm", "nearest", model, "reads", "read", "zebra", status=1)
    assert "Cosine" not in output
    assert "'read' is not among the 4 words that were learned; close to it are 'reads'" in output
    assert "'zebra' is not among" in output


def test_pipeline_without_learned_words(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path)
    output = said("lm", "nearest", tmp_path, "word", status=1)
    assert "has learned words" in output and "its components: sentencizer" in output
