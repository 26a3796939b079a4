"""`spacy structparse lm nearest`."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from typer.testing import CliRunner

from spacy_structparse.cli import app

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


def invoke(*arguments):
    return CliRunner().invoke(app, ["lm", "nearest", *map(str, arguments)])


def rows(output: str) -> list[list[str]]:
    return [line.split() for line in output.splitlines() if line.strip()[:1].isdigit()]


def test_both_metrics_side_by_side(model):
    result = invoke(model, "reads", "old")
    assert result.exit_code == 0, result.output
    header = next(line.split() for line in result.output.splitlines() if "Cosine" in line)
    assert header == ["Euclidean", "distance", "Cosine", "similarity"]
    found = rows(result.output)
    assert len(found) == 6 and [row[0] for row in found] == ["1", "2", "3"] * 2
    for column in (1, 3):
        assert {row[column] for row in found[:3]} == {"She", "old", "books"}
    assert [row[2] for row in found[:3]] == sorted(row[2] for row in found[:3])


def test_options(model):
    assert len(rows(invoke(model, "reads", "--n", 2).output)) == 2
    (found,) = rows(invoke(model, "reads", "--skip-once").output)
    assert found[1] == "old"
    assert rows(invoke(model, "reads", "--component", "stack_lstm_dep").output)


def test_unknown_words_are_all_named(model):
    result = invoke(model, "reads", "read", "zebra")
    output = " ".join(result.output.split())
    assert result.exit_code == 1 and not rows(result.output)
    assert "'read' is not among the 4 words that were learned; close to it are 'reads'" in output
    assert "'zebra' is not among" in output


def test_pipeline_without_learned_words(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path)
    output = " ".join(invoke(tmp_path, "word").output.split())
    assert "has learned words" in output and "its components: sentencizer" in output
