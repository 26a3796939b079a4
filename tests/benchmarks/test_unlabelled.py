"""Unlabelled F1 of spans."""

import pytest

from benchmarks.unlabelled import unlabelled_f1, without_words, worth_scoring


def test_words_are_left_out() -> None:
    # the old , grey cat .
    kept = [True, True, False, True, True, False]
    spans = [(0, 6), (0, 5), (1, 4), (2, 3), (1, 3), (4, 6)]
    assert without_words(spans, kept) == [(0, 4), (0, 4), (1, 3), (1, 2), (3, 4)]


def test_spans_that_every_tree_has_are_not_scored() -> None:
    assert worth_scoring([(0, 4), (0, 1), (1, 3), (1, 3), (0, 3)], 4) == {(1, 3), (0, 3)}


@pytest.mark.parametrize(
    ("found", "gold", "f1"),
    [
        ({(0, 2), (2, 4)}, {(0, 2), (1, 4)}, 0.5),
        ({(0, 2), (2, 4), (0, 3)}, {(0, 2)}, 0.5),
        ({(0, 2)}, {(1, 3)}, 0.0),
        (set(), {(1, 3)}, 0.0),
        ({(0, 2)}, set(), 0.0),
        (set(), set(), 1.0),
    ],
)
def test_f1(found: set, gold: set, f1: float) -> None:
    assert unlabelled_f1(found, gold) == pytest.approx(f1)
