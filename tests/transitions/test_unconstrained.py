"""States that allow every action."""

import pytest
import torch

from spacy_structparse.transitions.constituency.top_down import TopDown
from spacy_structparse.transitions.constituency.unconstrained import (
    UnconstrainedState,
    unconstrained,
)

SYSTEM = TopDown(["S", "NP"], spare_brackets=1)
CPU = torch.device("cpu")


def started(*lengths: int) -> UnconstrainedState:
    return unconstrained(SYSTEM, lengths, CPU)


def test_everything_is_allowed_until_the_end() -> None:
    state = started(2, 1)
    assert len(state) == 2
    assert state.legal_mask().all()
    state.apply(torch.tensor([3, 0]))  # (S, and </s>
    assert state.finished.tolist() == [False, True]
    assert state.legal_mask().sum(1).tolist() == [len(SYSTEM), 1]
    assert state.legal_mask()[1, 0]
    state.apply(torch.tensor([0, 0]))
    assert state.finished.all()


def test_an_endless_output_is_cut_off_after_what_a_tree_can_take() -> None:
    state = started(2, 1)
    for step in range(1, SYSTEM.max_steps(2) + 1):
        state.apply(torch.tensor([3, 3]))
        assert state.finished.tolist() == [
            step >= SYSTEM.max_steps(2),
            step >= SYSTEM.max_steps(1),
        ]


def test_rows_can_be_chosen() -> None:
    state = started(3, 2, 1)
    state.apply(torch.tensor([0, 3, 3]))
    chosen = state.select(torch.tensor([1, 1, 0]))
    assert chosen.finished.tolist() == [False, False, True]
    assert chosen.most.tolist() == [SYSTEM.max_steps(2)] * 2 + [SYSTEM.max_steps(3)]
    chosen.apply(torch.tensor([0, 3, 0]))
    assert state.finished.tolist() == [True, False, False]


def test_there_is_no_stack_to_read() -> None:
    with pytest.raises(ValueError, match="has no boundaries: attend probabilistically"):
        started(1).boundaries()
    with pytest.raises(ValueError, match="Sentence 1 has 0 words"):
        started(1, 0)
