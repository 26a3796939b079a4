import pytest
import torch

from spacy_structparse.brackets import Bracket
from spacy_structparse.transitions.constituency.in_order import InOrder

TREE = [Bracket("S", 0, 5), Bracket("NP", 0, 1), Bracket("VP", 1, 4), Bracket("NP", 2, 4)]
PLAIN = "SHIFT PJ-NP REDUCE PJ-S SHIFT PJ-VP SHIFT PJ-NP SHIFT REDUCE REDUCE SHIFT REDUCE FINISH"
ENRICHED = (
    "SHIFT PJ-NP REDUCE-NP PJ-S SHIFT PJ-VP SHIFT PJ-NP SHIFT REDUCE-NP REDUCE-VP SHIFT-. "
    "REDUCE-S FINISH"
)


@pytest.mark.parametrize(
    ("options", "line"),
    [({"closing_labels": False}, PLAIN), ({"word_symbols": [".", ","]}, ENRICHED)],
    ids=["plain", "enriched"],
)
def test_a_bracket_is_opened_after_its_first_child(options, line):
    system = InOrder.from_treebank([TREE], **options)
    actions = system.oracle(TREE, 5, ["Jo", "eats", "the", "cake", "."])
    assert [system.names[action] for action in actions] == line.split()
    assert system.brackets(actions, 5) == TREE


def test_the_last_bracket_a_sentence_may_have_stays_open_to_its_end():
    """Three words and one spare bracket: seven in all, none of them lost on a dead end."""
    system = InOrder(["S"], closing_labels=False, spare_brackets=1)
    state = system.initial([3])
    shift, project, close = (system.names.index(name) for name in ("SHIFT", "PJ-S", "REDUCE"))
    for action in [shift, *[project, close] * 6, project]:
        assert state.legal_mask()[0, action]
        state.apply(torch.tensor([action]))
    assert state.legal_mask()[0].nonzero()[:, 0].tolist() == [shift]
