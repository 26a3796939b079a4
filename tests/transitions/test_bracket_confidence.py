"""Confidence of brackets is the product of the decisions that they depend on."""

import numpy as np
import pytest

from spacy_structparse.brackets import Bracket
from spacy_structparse.transitions.constituency.bottom_up import BottomUp
from spacy_structparse.transitions.constituency.in_order import InOrder
from spacy_structparse.transitions.constituency.interface import Linearization
from spacy_structparse.transitions.constituency.top_down import TopDown

TREE = [Bracket("S", 0, 3), Bracket("NP", 0, 2)]
NO_CLOSING = np.zeros(20)


def test_bottom_up_by_hand() -> None:
    """(S (NP a b) c): sh nolabel sh nolabel comb label-NP sh nolabel comb label-S.

    NP: its first element was kept when b was read (0.9), b combined with it (0.7), its label (0.6).
    S: the element from 0 was kept at b (0.9) and at c (0.5), then combined with c (0.4), its label
    (0.3). Whether NP was combined, and what it is, does not matter to S.
    """
    linearization = BottomUp([["NP"], ["S"]])
    probabilities = [1.0, 0.8, 0.9, 0.8, 0.7, 0.6, 0.5, 0.8, 0.4, 0.3]
    actions = linearization.oracle(TREE, 3)
    found = linearization.bracket_confidence(actions, 3, np.log(probabilities), NO_CLOSING)
    assert found == {
        TREE[1]: pytest.approx(0.9 * 0.7 * 0.6),
        TREE[0]: pytest.approx(0.9 * 0.5 * 0.4 * 0.3),
    }


def test_top_down_by_hand() -> None:
    """(S (NP XX XX ) XX ) </s>. NP: opened (0.8), not closed before b (1 - 0.1), closed (0.7). S:
    opened (0.9), not closed when NP was opened (1 - 0) and when c was read (1 - 0.2), closed (0.6).
    """
    linearization = TopDown(["NP", "S"], closing_labels=False)
    actions = linearization.oracle(TREE, 3)
    probabilities = [0.9, 0.8, 0.5, 0.5, 0.7, 0.5, 0.6, 1.0]
    closing = np.array([0, 0, 0, 0.1, 0.7, 0.2, 0.6, 0])
    found = linearization.bracket_confidence(actions, 3, np.log(probabilities), closing)
    assert found == {
        TREE[1]: pytest.approx(0.8 * 0.9 * 0.7),
        TREE[0]: pytest.approx(0.9 * 0.8 * 0.6),
    }


@pytest.mark.parametrize(
    "linearization", [BottomUp([["NP"], ["S"]]), TopDown(["NP", "S"]), InOrder(["NP", "S"])]
)
def test_every_bracket_has_one(linearization: Linearization) -> None:
    actions = linearization.oracle(TREE, 3)
    log_probs = np.zeros(len(actions))
    found = linearization.bracket_confidence(actions, 3, log_probs, np.zeros(len(actions)))
    assert found == dict.fromkeys(linearization.brackets(actions, 3), 1.0)
    names = np.array(linearization.names)[linearization.closes].tolist()
    assert all(name.startswith((")", "REDUCE")) for name in names)
    assert bool(names) == (not isinstance(linearization, BottomUp))
