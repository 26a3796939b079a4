"""Traces, and where two of them diverge."""

import numpy as np
import pytest

from spacy_structparse.brackets import Bracket
from spacy_structparse.pipeline.seq2seq import Trace
from spacy_structparse.tools.figures.divergence import (
    ComparisonError,
    check_comparable,
    divergence_step,
    find_divergence,
)
from spacy_structparse.transitions.constituency.bottom_up import BottomUp
from spacy_structparse.transitions.constituency.top_down import TopDown

WORDS = ["old", "dogs", "sleep"]
LEFT = [Bracket("S", 0, 3), Bracket("NP", 0, 2)]
RIGHT = [Bracket("S", 0, 3), Bracket("NP", 1, 3)]


def trace(linearization, brackets, words=WORDS, probability=0.5):
    actions = linearization.oracle(brackets, len(words))
    return Trace(
        words=words,
        actions=actions,
        names=[linearization.names[action] for action in actions],
        log_probs=np.full(len(actions), np.log(probability)),
        attention=np.tile([0.2, 0.5, 0.0, 0.3], (len(actions), 1)),
        kind="probabilistic",
        brackets=brackets,
    )


def test_step():
    assert divergence_step("abc", "abd") == 2
    assert divergence_step("abc", "ab") == 2
    assert divergence_step("abc", "abc") is None


def test_divergence():
    # Labels have other numbers in the other parser: names count.
    ours, theirs = BottomUp([["NP"], ["S"]]), BottomUp([["S"], ["NP"]])
    divergence = find_divergence(trace(ours, LEFT), trace(theirs, RIGHT, probability=0.9), ours)
    assert divergence is not None
    assert (divergence.step, divergence.names) == (4, ("comb", "sh"))
    assert divergence.stack == ["old", "dogs"]
    assert divergence.probabilities == pytest.approx((0.5, 0.9))
    assert not divergence.same_tree
    assert find_divergence(trace(ours, LEFT), trace(theirs, LEFT), ours) is None


def test_divergence_at_the_first_step_and_after_the_end():
    linearization = TopDown(["NP", "S"])
    whole = trace(linearization, LEFT)
    first = trace(linearization, [Bracket("NP", 0, 3)])
    divergence = find_divergence(whole, first, linearization)
    assert (divergence.step, divergence.stack) == (0, [])
    cut_off = trace(linearization, LEFT)
    del cut_off.names[-1], cut_off.actions[-1]
    divergence = find_divergence(whole, cut_off, linearization)
    assert (divergence.step, divergence.names) == (len(whole.names) - 1, ("</s>", None))
    assert divergence.same_tree


def test_what_cannot_be_compared():
    one = trace(TopDown(["NP", "S"]), LEFT)
    other = trace(TopDown(["NP", "S"]), [Bracket("S", 0, 2)], words=["old", "dogs"])
    with pytest.raises(ComparisonError, match="'old dogs sleep' and 'old dogs'"):
        find_divergence(one, other, TopDown(["NP", "S"]))
    with pytest.raises(ComparisonError, match=r"bottom_up.*top_down"):
        check_comparable(BottomUp([["S"]]), TopDown(["S"]))
    with pytest.raises(ComparisonError, match="closing_labels: True and False"):
        check_comparable(TopDown(["S"]), TopDown(["S"], closing_labels=False))
    check_comparable(TopDown(["S"]), TopDown(["NP", "S"], max_run=12))
