"""Confidence of brackets: where it is stored, and that it is that of the tree's actions."""

import numpy as np
import pytest
from spacy.language import Language
from spacy.tokens import Doc

from spacy_structparse.brackets import Bracket
from spacy_structparse.pipeline.seq2seq_constituency import Seq2SeqConstituencyParser
from tests.helpers.small_parser import bare, examples_of
from tests.helpers.small_trees import NAME, brackets_of, tree_pipeline

Sure = list[tuple[Bracket, float | None]]


def confidence_of(doc: Doc) -> Sure:
    spans = doc.spans["constituency"]
    return list(zip(brackets_of(doc), (span._.confidence for span in spans), strict=True))


@pytest.fixture
def sure(trained_trees: Language, monkeypatch: pytest.MonkeyPatch) -> Language:
    """The trained pipeline, with confidence for the test."""
    monkeypatch.setattr(trained_trees.get_pipe(NAME), "confidence", True)
    return trained_trees


def test_every_bracket_has_one_and_the_trees_are_the_same(
    trained_trees: Language, twenty_trees: list[Doc]
) -> None:
    docs = [bare(trained_trees.vocab, doc) for doc in twenty_trees]
    plain = [brackets_of(doc) for doc in trained_trees.pipe(docs)]
    parser = trained_trees.get_pipe(NAME)
    parser.confidence = True
    try:
        docs = list(trained_trees.pipe([bare(trained_trees.vocab, doc) for doc in twenty_trees]))
    finally:
        parser.confidence = False
    assert [brackets_of(doc) for doc in docs] == plain
    found = [sure for doc in docs for _, sure in confidence_of(doc)]
    assert min(found) > 0.5 and max(found) <= 1  # known by heart
    again = trained_trees(docs[0])  # parsed again without: what was stored is gone
    assert not again.user_data


def test_alone_and_in_a_batch(sure: Language, twenty_trees: list[Doc]) -> None:
    docs = list(sure.pipe([bare(sure.vocab, doc) for doc in twenty_trees]))
    for doc in docs:
        alone = [one for _, one in confidence_of(sure(bare(sure.vocab, doc)))]
        np.testing.assert_allclose(alone, [one for _, one in confidence_of(doc)], rtol=1e-4)


@pytest.mark.parametrize("beam_width", [1, 3])
def test_probabilities_in_a_batch_are_those_of_a_trace(
    sure: Language, twenty_trees: list[Doc], monkeypatch: pytest.MonkeyPatch, beam_width: int
) -> None:
    """A trace takes the actions found once more, and asks for the probability of each."""
    parser: Seq2SeqConstituencyParser = sure.get_pipe(NAME)  # type: ignore[assignment]
    monkeypatch.setitem(parser._shim.settings, "beam_width", beam_width)
    docs = list(sure.pipe([bare(sure.vocab, doc) for doc in twenty_trees]))
    traces = parser.trace([bare(sure.vocab, doc) for doc in twenty_trees])
    for doc, [trace] in zip(docs, traces, strict=True):
        n = len(trace.words)
        closing = np.zeros(len(trace.actions))  # bottom up nothing is closed
        expected = parser.linearization.bracket_confidence(
            trace.actions, n, trace.log_probs, closing
        )
        for bracket, found in confidence_of(doc):
            assert found == pytest.approx(expected[bracket], rel=1e-3)


@pytest.mark.parametrize(
    "settings",
    [
        {"linearization": "top_down", "attention": "probabilistic"},
        {"linearization": "in_order", "attention": "none"},
        {"beam_width": 3},
    ],
)
def test_other_ways_of_decoding(twenty_trees: list[Doc], settings: dict[str, object]) -> None:
    nlp = tree_pipeline(lambda nlp: examples_of(nlp, twenty_trees), **settings)
    plain = [brackets_of(doc) for doc in nlp.pipe([bare(nlp.vocab, d) for d in twenty_trees[:4]])]
    nlp.get_pipe(NAME).confidence = True  # type: ignore[attr-defined]
    docs = list(nlp.pipe([bare(nlp.vocab, doc) for doc in twenty_trees[:4]]))
    assert [brackets_of(doc) for doc in docs] == plain
    assert all(0 <= one <= 1 for doc in docs for _, one in confidence_of(doc))  # type: ignore[operator]


def test_without_constraints_there_is_none(twenty_trees: list[Doc]) -> None:
    """A repaired output has brackets that no action made."""
    settings = {"linearization": "top_down", "attention": "none", "constrained": False}
    nlp = tree_pipeline(lambda nlp: examples_of(nlp, twenty_trees), **settings)
    nlp.get_pipe(NAME).confidence = True  # type: ignore[attr-defined]
    assert not nlp(bare(nlp.vocab, twenty_trees[0])).user_data


def test_another_span_group(sure: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    from spacy_structparse.extensions.confidence import bracket_confidence

    monkeypatch.setattr(sure.get_pipe(NAME), "spans_key", "mine")
    doc = sure("The cook stirs the soup.")
    for span in doc.spans["mine"]:
        assert bracket_confidence(span, "mine") is not None
        assert span._.confidence is None  # that of doc.spans["constituency"]
