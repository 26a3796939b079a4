"""The parser learns, and what it learned survives every way of storing and running a pipeline."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers.small_parser import NAME, arcs, bare, examples_of


@pytest.fixture
def expected(trained: Language, twenty: list[Doc]) -> list[list[tuple[int, str]]]:
    return [arcs(trained(bare(trained.vocab, doc))) for doc in twenty]


def parsed(nlp: Language, twenty: list[Doc]) -> list[list[tuple[int, str]]]:
    return [arcs(nlp(bare(nlp.vocab, doc))) for doc in twenty]


def test_twenty_sentences_are_learned(trained: Language, twenty: list[Doc]) -> None:
    scores = trained.evaluate(examples_of(trained, twenty))
    assert scores["dep_uas"] >= 0.99
    assert scores["dep_las"] >= 0.99
    assert scores["dep_las_nopunct"] >= 0.99
    assert scores["dep_las_per_type"]["nsubj"]["f"] >= 0.99
    assert scores["sents_f"] == 1.0


def test_bytes(trained: Language, twenty: list[Doc], expected: list[list[tuple[int, str]]]) -> None:
    loaded = spacy.blank("en").from_config(trained.config).from_bytes(trained.to_bytes())
    assert loaded.get_pipe(NAME).labels == trained.get_pipe(NAME).labels
    assert parsed(loaded, twenty) == expected


def test_equal_pipelines_are_equal_files(trained: Language) -> None:
    component = trained.get_pipe(NAME)
    files = {component.model.to_bytes() for _ in range(4)}
    loaded = spacy.blank("en").from_config(trained.config).from_bytes(trained.to_bytes())
    assert files == {loaded.get_pipe(NAME).model.to_bytes()}


def test_pipe_equals_call(
    trained: Language, twenty: list[Doc], expected: list[list[tuple[int, str]]]
) -> None:
    texts = [doc.text for doc in twenty]
    assert [arcs(doc) for doc in trained.pipe(texts)] == [arcs(trained(text)) for text in texts]
    docs = [bare(trained.vocab, doc) for doc in twenty]
    assert [arcs(doc) for doc in trained.pipe(docs, batch_size=7)] == expected
