import random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_structparse.brackets import Bracket
from spacy_structparse.errors import ActionError
from spacy_structparse.transitions.constituency.bottom_up import NO_LABEL, BottomUp
from spacy_structparse.transitions.constituency.bottom_up_heads import rightmost_heads, rule_heads
from spacy_structparse.transitions.constituency.dynamic_oracle import dynamic_oracle
from tests.helpers.bracket_strategies import bracketed

# The tree of Ma et al., Table 1, and its walk, Table 2: actions and the stack after them.
TREE = [Bracket("S", 0, 5), Bracket("NP", 0, 1), Bracket("VP", 1, 4), Bracket("NP", 2, 4)]
WALK = [
    ("sh", "label-NP", "0NP1"),
    ("sh", "nolabel", "0NP1 1XX2"),
    ("sh", "nolabel", "0NP1 1XX2 2XX3"),
    ("sh", "nolabel", "0NP1 1XX2 2XX3 3XX4"),
    ("comb", "label-NP", "0NP1 1XX2 2NP4"),
    ("comb", "label-VP", "0NP1 1VP4"),
    ("comb", "nolabel", "0XX4"),
    ("sh", "nolabel", "0XX4 4XX5"),
    ("comb", "label-S", "0S5"),
]


def test_the_walk_of_table_2():
    system = BottomUp.from_treebank([TREE])
    actions = system.oracle(TREE, 5)
    assert [system.names[action] for action in actions] == [
        name for structure, label, _ in WALK for name in (structure, label)
    ]
    state = system.initial([5])
    for step, (_, _, stack) in enumerate(WALK):
        for action in actions[2 * step : 2 * step + 2]:
            state.apply(torch.tensor([action]))
        elements = stack.split()
        top, below = elements[-1], elements[-2] if len(elements) > 1 else None
        expected = [int(below[0]) if below else -1, int(top[0]), int(top[-1])]
        assert state.boundaries()[0, 1:4].tolist() == expected
    assert state.finished.all()
    assert system.brackets(actions, 5) == TREE


def test_unary_chains_are_joined_labels():
    chain = [Bracket("S", 0, 1), Bracket("VP", 0, 1), Bracket("NP", 0, 1)]
    system = BottomUp.from_treebank([chain])
    actions = system.oracle(chain, 1)
    assert [system.names[action] for action in actions] == ["sh", "label-S+VP+NP"]
    with pytest.raises(ActionError, match=r"unary chain 'S\+NP'"):
        system.oracle([Bracket("S", 0, 1), Bracket("NP", 0, 1)], 1)


def random_walk(system, n, chance):
    """Any derivation."""
    state, actions = system.initial([n]), []
    while not state.finished.all():
        legal = state.legal_mask()[0].nonzero()[:, 0].tolist()
        actions.append(chance.choice(legal))
        state.apply(torch.tensor(actions[-1:]))
    return actions


@settings(max_examples=40)
@given(bracketed())
def test_along_gold_actions_the_dynamic_oracle_agrees_with_the_static_one(tree):
    n, brackets = tree
    system = BottomUp.from_treebank([brackets])
    gold = system.oracle(brackets, n)
    right = dynamic_oracle(system, gold, brackets, n)
    assert right[range(len(gold)), gold].all()
    assert (right[1::2].sum(1) == 1).all()


@settings(max_examples=20)
@given(bracketed(5), st.integers(0, 2**32), st.integers(0, 20))
def test_following_the_dynamic_oracle_builds_all_that_can_be_built(tree, seed, wrong):
    """After any first actions, the oracle's lose no gold bracket still possible, and whichever of
    its actions is taken no wrong bracket is added."""
    n, brackets = tree
    system = BottomUp.from_treebank([brackets])
    chance = random.Random(seed)
    detour = random_walk(system, n, chance)[:wrong]
    state = system.initial([n])
    on_stack: list[int] = []
    for action in detour:
        start = int(state.boundaries()[0, 2])
        if action == 0 and state.step % 2 == 0:
            on_stack.append(int(state.t))
        elif action == 1 and state.step % 2 == 0:
            on_stack.remove(start)
        state.apply(torch.tensor([action]))
    end = int(state.t)
    top = (on_stack[-1] if on_stack else 0, end)
    awaits_label = len(detour) % 2 == 1
    possible = {
        (start, stop)
        for _, start, stop in brackets
        if start >= end or (start in on_stack and stop > end)
        or (start in on_stack[:-1] and stop == end)
        or (awaits_label and (start, stop) == top)
    }  # fmt: skip
    actions = list(detour)
    while len(actions) < 4 * n - 2:
        legal = state.legal_mask()[0]
        right = dynamic_oracle(system, completed(system, actions, n), brackets, n)[len(actions)]
        options = [action for action in range(len(system)) if right[action]]
        assert options
        assert legal[options].all()
        actions.append(chance.choice(options))
        state.apply(torch.tensor(actions[-1:]))
    built = built_spans(system, actions, n, len(detour))
    assert built == possible


def completed(system, actions, n):
    """The actions, followed by the first legal ones up to the end."""
    state = system.initial([n])
    actions = list(actions)
    for step in range(4 * n - 2):
        if step == len(actions):
            actions.append(int(state.legal_mask()[0].int().argmax()))
        state.apply(torch.tensor([actions[step]]))
    return actions


def built_spans(system, actions, n, since):
    """The spans labelled by the actions from `since` on."""
    positions = system.boundaries(actions, n)
    return {
        (int(positions[step, 2]), int(positions[step, 3]))
        for step in range(since, len(actions))
        if step % 2 and actions[step] != NO_LABEL
    }


def test_heads_by_rules_and_by_the_right_child():
    """The walk of Table 2 with the heads S:1, NP:0, VP:1, NP:3."""
    system = BottomUp.from_treebank([TREE])
    actions = system.oracle(TREE, 5)
    by_rules = rule_heads(system, actions, TREE, [1, 0, 1, 3], 5)
    # The implicit 0XX4 has the head of S, which lies inside it.
    assert by_rules[::2].tolist() == [
        [-1, -1], [-1, 0], [0, 1], [1, 2], [2, 3], [1, 3], [0, 1], [-1, 1], [1, 4],
    ]  # fmt: skip
    positions = torch.tensor(system.boundaries(actions, 5))
    assert rightmost_heads(positions)[::2].tolist() == [
        [-1, -1], [-1, 0], [0, 1], [1, 2], [2, 3], [1, 3], [0, 3], [-1, 3], [3, 4],
    ]  # fmt: skip
