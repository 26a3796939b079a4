"""Calibration: scores computed by hand, and what is fitted to parsers that are too sure."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_structparse.brackets import Bracket
from spacy_structparse.extensions.confidence import (
    bracket_confidence,
    set_arc_confidence,
    set_bracket_confidence,
)
from spacy_structparse.scoring.calibration import (
    Outcomes,
    arc_outcomes,
    area_under_roc,
    bracket_outcomes,
    expected_calibration_error,
    fit_calibration,
    reliability,
    score_arc_confidence,
    score_bracket_confidence,
)
from spacy_structparse.search_results import Calibration
from tests.helpers.small_trees import tree_of


def outcomes(*pairs: tuple[float, bool]) -> Outcomes:
    confidence, right = zip(*pairs, strict=True)
    return Outcomes(np.array(confidence), np.array(right))


FOUR = outcomes((0.9, True), (0.7, False), (0.6, True), (0.2, False))


def test_expected_calibration_error_by_hand() -> None:
    """Two bins: 0.2 alone, 0 right; and 0.6, 0.7, 0.9, of which two thirds are right.
    1/4 * |0.2 - 0| + 3/4 * |2.2/3 - 2/3| = 0.05 + 0.05."""
    assert expected_calibration_error(FOUR, 2) == pytest.approx(0.1)
    low, high = reliability(FOUR, 2)
    assert low == (1, pytest.approx(0.2), 0.0)
    assert high == (3, pytest.approx(2.2 / 3), pytest.approx(2 / 3))


def test_area_under_roc_by_hand() -> None:
    """Of the four pairs of right and wrong, 0.9 and 0.7, 0.9 and 0.2, 0.6 and 0.2 are in order;
    0.6 and 0.7 are not."""
    assert area_under_roc(FOUR) == pytest.approx(3 / 4)
    assert area_under_roc(outcomes((0.5, True), (0.5, False))) == pytest.approx(0.5)
    assert area_under_roc(outcomes((0.5, True))) is None


def too_sure(n: int, seed: int, calibration: Calibration) -> Outcomes:
    """Decisions of a parser with known mistakes: its confidence is what `calibration` makes the
    true probability of."""
    rng = np.random.default_rng(seed)
    confidence = rng.uniform(0.001, 0.9999, n)
    return Outcomes(confidence, rng.random(n) < calibration(confidence))


@pytest.mark.parametrize(
    "true",
    [
        Calibration(),
        Calibration(0.4, 0.4, 0.0),
        Calibration(1.0, 1.0, -1.5),
        Calibration(2.0, 0.2, 0.5),
    ],
)
def test_the_true_calibration_is_found(true: Calibration) -> None:
    decisions = too_sure(100_000, 0, true)
    found = fit_calibration(decisions)
    places = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(found(places), true(places), atol=0.02)
    # On other decisions the error is what chance leaves: about sqrt(p (1 - p) 15 / n) = 0.006.
    test = too_sure(100_000, 1, true)
    after = Outcomes(found(test.confidence), test.right)
    assert expected_calibration_error(after) < 0.01


def test_decisions_that_are_all_right_or_tell_nothing() -> None:
    right = outcomes(*[(0.9, True)] * 50)
    # 51/52 is the target of 50 right decisions (Platt 1999).
    assert fit_calibration(right)(right.confidence) == pytest.approx(51 / 52, abs=1e-4)
    inverse = outcomes(*[(0.9, False)] * 50, *[(0.1, True)] * 50)
    found = fit_calibration(inverse)
    assert min(found[:2]) >= 0
    low, high = found(np.array([0.1, 0.9]))
    assert low <= high


WORDS = ["Old", "dogs", "sleep", "."]
DEPS = ["amod", "nsubj", "ROOT", "punct"]


def dependency_example(words: list[str], heads: list[int], deps: list[str]) -> Example:
    vocab = spacy.blank("en").vocab
    gold = Doc(vocab, WORDS, heads=[1, 2, 2, 2], deps=DEPS)
    doc = Doc(vocab, words, heads=heads, deps=deps)
    sure = np.stack([np.linspace(0.9, 0.6, len(words)), np.linspace(0.8, 0.5, len(words))], 1)
    set_arc_confidence(doc, sure)
    return Example(doc, gold)


def test_outcomes_of_arcs() -> None:
    """The label of "dogs" and the head of "." are wrong."""
    example = dependency_example(WORDS, [1, 2, 2, 1], ["amod", "obj", "ROOT", "punct"])
    heads, labels = arc_outcomes([example])
    np.testing.assert_allclose(heads.confidence, [0.9, 0.8, 0.7, 0.6])
    np.testing.assert_allclose(labels.confidence, [0.8, 0.7, 0.6, 0.5])
    assert heads.right.tolist() == [True, True, True, False]
    assert labels.right.tolist() == [True, False, True, False]
    scores = score_arc_confidence([example])
    assert scores["head_auroc"] == 1.0


def test_no_confidence_no_scores() -> None:
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, WORDS, heads=[1, 2, 2, 2], deps=DEPS)
    assert score_arc_confidence([Example(doc.copy(), doc)]) == {}
    tree = tree_of(vocab, "(S (NP (X a) (X b)) (X c))")
    assert score_bracket_confidence([Example(tree.copy(), tree)]) == {}


def test_outcomes_of_brackets() -> None:
    """The unary chain S over VP has two brackets; the second NP is wrong."""
    vocab = spacy.blank("en").vocab
    gold = tree_of(vocab, "(S (VP (NP (X a) (X b)) (X c)))")
    doc = tree_of(vocab, "(S (VP (X a) (NP (X b) (X c))))")
    sure = {
        Bracket("S", 0, 3): 0.9,
        Bracket("VP", 0, 3): 0.8,
        Bracket("NP", 1, 3): 0.3,
    }
    set_bracket_confidence(doc, sure)
    assert [bracket_confidence(span) for span in doc.spans["constituency"]] == [0.9, 0.8, 0.3]
    assert [span._.confidence for span in doc.spans["constituency"]] == [0.9, 0.8, 0.3]
    assert doc[0:2]._.confidence is None
    found = bracket_outcomes([Example(doc, gold)])
    assert found.right.tolist() == [True, True, False]
    assert score_bracket_confidence([Example(doc, gold)])["const_auroc"] == 1.0
    assert doc._.parse_confidence == pytest.approx(2 / 3)


def test_words_that_are_cut_otherwise_and_brackets_of_whitespace_do_not_count() -> None:
    gold = tree_of(spacy.blank("en").vocab, "(S (NP (X can) (X not)) (VP (X go)))")
    doc = Doc(gold.vocab, ["cannot", "go", "\n"], heads=[1, 1, 1], deps=["dep"] * 3)
    sure = {Bracket("NP", 0, 1): 0.9, Bracket("VP", 1, 2): 0.8, Bracket("X", 2, 3): 0.7}
    doc.spans["constituency"] = [Span(doc, start, end, label) for label, start, end in sure]
    set_bracket_confidence(doc, sure)
    assert bracket_outcomes([Example(doc, gold)]).confidence.tolist() == [0.8]


def test_no_decisions_have_no_error_and_no_calibration() -> None:
    none = Outcomes(np.zeros(0), np.zeros(0, dtype=bool))
    assert expected_calibration_error(none) is None
    with pytest.raises(ValueError, match="no decisions"):
        fit_calibration(none)
