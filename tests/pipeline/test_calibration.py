"""Calibrating a pipeline: what is fitted, what is set and kept, and what cannot be calibrated."""

import warnings
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_structparse.errors import ConfidenceError
from spacy_structparse.pipeline import sentence_pipe
from spacy_structparse.pipeline.confidence import calibrate
from tests.helpers.small_parser import NAME, add_parser, examples_of, small_pipeline, train
from tests.helpers.small_trees import NAME as TREES
from tests.helpers.small_trees import tree_pipeline


@pytest.fixture(scope="module")
def overfitted(sample_docs: list[Doc]) -> Language:
    """A parser that knows eight sentences by heart, and is too sure of all others."""
    docs = [doc for doc in sample_docs if 5 <= len(doc) <= 15][:8]
    nlp = small_pipeline(lambda nlp: examples_of(nlp, docs), "spa_dep")
    train(nlp, examples_of(nlp, docs), 40)
    return nlp


def others(nlp: Language, docs: list[Doc]) -> list[Example]:
    return examples_of(nlp, [doc for doc in docs if 5 <= len(doc) <= 15][8:60])


def scores(nlp: Language, examples: list[Example]) -> dict[str, Any]:
    parser = nlp.get_pipe(NAME)
    parser.confidence = True  # type: ignore[attr-defined]
    try:
        return nlp.evaluate(examples)
    finally:
        parser.confidence = False  # type: ignore[attr-defined]


def test_an_overfitted_parser_becomes_honest(overfitted: Language, sample_docs: list[Doc]) -> None:
    parser: Any = overfitted.get_pipe(NAME)
    before = scores(overfitted, others(overfitted, sample_docs))
    try:
        heads, labels = calibrate(overfitted, others(overfitted, sample_docs))
        after = scores(overfitted, others(overfitted, sample_docs))
        assert parser.calibration == {"heads": heads.calibration, "labels": labels.calibration}
    finally:
        parser.cfg.pop("calibration", None)
    assert (heads.component, heads.kind, labels.kind) == (NAME, "heads", "labels")
    assert heads.before == pytest.approx(before["head_ece"])
    assert heads.after == pytest.approx(after["head_ece"])
    assert labels.before == pytest.approx(before["dep_ece"])
    assert after["head_ece"] < before["head_ece"] / 2
    assert after["dep_ece"] < before["dep_ece"] / 2
    # Order, and so the AUROC, stays but for ties of the surest; so do parses.
    assert after["head_auroc"] == pytest.approx(before["head_auroc"], abs=0.01)
    assert after["dep_las"] == before["dep_las"]
    assert not parser.confidence


def test_a_failure_changes_nothing(overfitted: Language, sample_docs: list[Doc]) -> None:
    parser: Any = overfitted.get_pipe(NAME)
    given = {"heads": (0.5, 0.5, 0.0), "labels": (0.5, 0.5, 0.0)}
    parser.calibration = given
    try:
        without = [Doc(overfitted.vocab, [token.text for token in doc]) for doc in sample_docs[:3]]
        with pytest.raises(ConfidenceError, match=r"'arcs'.*no gold heads"):
            calibrate(overfitted, examples_of(overfitted, without))
        with pytest.raises(ConfidenceError, match="no gold heads"):
            calibrate(overfitted, [])
        assert parser.calibration == given
        assert not parser.confidence
    finally:
        parser.cfg.pop("calibration", None)


def test_brackets(tree_docs: list[Doc]) -> None:
    docs = [doc for doc in tree_docs if 4 <= len(doc) <= 10]
    nlp = tree_pipeline(lambda nlp: examples_of(nlp, docs[:10]))
    train(nlp, examples_of(nlp, docs[:10]), 30)
    [fitted] = calibrate(nlp, examples_of(nlp, docs[10:40]))
    assert (fitted.component, fitted.kind) == (TREES, "brackets")
    assert fitted.after < fitted.before
    parser: Any = nlp.get_pipe(TREES)
    assert parser.calibration == {"brackets": fitted.calibration}
    with pytest.raises(ConfidenceError, match="no gold brackets"):
        calibrate(nlp, examples_of(nlp, [Doc(nlp.vocab, ["a", "b"])]))


@pytest.mark.parametrize("is_tree_parser", [False, True])
def test_other_weights_have_no_calibration(
    tree_docs: list[Doc], is_tree_parser: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def examples(nlp: Language) -> list[Example]:
        return examples_of(nlp, tree_docs[:4])

    nlp = tree_pipeline(examples) if is_tree_parser else small_pipeline(examples, "spa_dep")
    parser: Any = nlp.get_pipe(TREES if is_tree_parser else NAME)
    none, without = parser.calibration, parser.to_bytes()
    given = dict.fromkeys(parser.calibrated, (0.5, 0.5, 0.0))
    parser.calibration = given
    calibrated = parser.to_bytes()

    assert parser.from_bytes(without).calibration == none
    assert parser.from_bytes(calibrated).calibration == given
    # The weights stay.
    assert parser.from_bytes(without, exclude=["model"]).calibration == given
    bare = examples_of(nlp, [Doc(nlp.vocab, ["a", "b"])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a sentence without a tree
        nlp.update(bare, sgd=nlp.create_optimizer())
    assert parser.calibration == given
    nlp.update(examples(nlp), sgd=False)
    assert parser.calibration == given
    parser.skip_bad_batches = True
    with monkeypatch.context() as patch:  # gradients that are not finite
        patch.setattr(sentence_pipe, "clip_gradients", lambda *_, **__: False)
        nlp.update(examples(nlp), sgd=nlp.create_optimizer())
    assert parser.calibration == given
    nlp.update(examples(nlp), sgd=nlp.create_optimizer())
    assert parser.calibration == none
    parser.from_bytes(calibrated)
    nlp.initialize(lambda: examples(nlp))
    assert parser.calibration == none


def test_pipelines_that_cannot_be_calibrated() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    with pytest.raises(ConfidenceError, match=r"no parser.*components: sentencizer"):
        calibrate(nlp, [])
    add_parser(nlp, "spa_dep")
    nlp.add_pipe("stack_lstm_dep")
    with pytest.raises(ConfidenceError, match="2 components write heads"):
        calibrate(nlp, [])
