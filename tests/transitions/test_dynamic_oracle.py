import itertools
from functools import cache

import numpy as np
from hypothesis import given, settings

from spacy_structparse.errors import ActionError
from spacy_structparse.transitions.dependency.arc_standard import (
    LEFT,
    RIGHT,
    SHIFT,
    ActionSet,
    derive,
    oracle,
)
from spacy_structparse.transitions.dependency.dynamic_oracle import (
    ProjectiveTree,
    dynamic_oracle,
    dynamic_targets,
)
from tests.helpers.dependency_strategies import all_move_sequences, projective_trees

State = tuple[tuple[int, ...], int]  # the words on the stack, the number of words shifted


def legal_moves(state: State, n: int) -> list[int]:
    stack, buffer = state
    return ([SHIFT] if buffer < n else []) + ([LEFT, RIGHT] if len(stack) > 1 else [])


def after(state: State, move: int, heads: tuple[int, ...]) -> tuple[State, int]:
    """The state that a move leads to, and how many gold arcs the move makes."""
    stack, buffer = state
    if move == SHIFT:
        return ((*stack, buffer), buffer + 1), 0
    *rest, below, top = stack
    head, dependent = (top, below) if move == LEFT else (below, top)
    return ((*rest, head), buffer), int(heads[dependent] == head)


@cache
def most_arcs(state: State, heads: tuple[int, ...]) -> int:
    """The most gold arcs that any sequence of moves from a state makes, the root's counted."""
    stack, buffer = state
    if buffer == len(heads) and len(stack) == 1:
        return int(heads[stack[0]] == stack[0])
    reached = (after(state, move, heads) for move in legal_moves(state, len(heads)))
    return max(arcs + most_arcs(following, heads) for following, arcs in reached)


def all_trees(n: int) -> list[tuple[int, ...]]:
    trees = []
    for heads in itertools.product(range(n), repeat=n):
        try:
            oracle(heads)
        except ActionError:
            continue
        trees.append(heads)
    return trees


@settings(max_examples=60)
@given(projective_trees())
def test_on_the_gold_path_it_is_the_static_oracle(heads: list[int]) -> None:
    moves = oracle(heads)
    assert dynamic_oracle(derive(moves), np.array(heads)).tolist() == moves


def test_it_loses_no_arc_that_could_be_had_in_almost_all_states() -> None:
    """Over every tree of four words, and every state of every derivation of four words."""
    n, n_states, n_worse = 4, 0, 0
    derivations = [derive(moves) for moves in all_move_sequences(n)]
    for heads in all_trees(n):
        for derivation in derivations:
            state: State = ((), 0)
            named = dynamic_oracle(derivation, np.array(heads)).tolist()
            for move, best in zip(derivation.moves.tolist(), named, strict=True):
                following, arcs = after(state, best, heads)
                n_states += 1
                n_worse += arcs + most_arcs(following, heads) < most_arcs(state, heads)
                state, _ = after(state, move, heads)
    assert n_states == 30 * 40 * 7
    assert n_worse / n_states < 0.01


def test_targets_have_the_gold_label_or_any() -> None:
    actions = ActionSet(["det", "nsubj"])
    tree = ProjectiveTree(np.array([1, 2, 2]), np.array([0, 1, -1]))
    targets, allowed = dynamic_targets(derive([SHIFT, SHIFT, SHIFT, LEFT, LEFT]), tree, actions)
    det, nsubj = 1, 2  # LEFT
    assert targets[:4].tolist() == [0, 0, det, nsubj]
    assert [np.flatnonzero(row).tolist() for row in allowed] == [
        [0], [0], [det], [nsubj], [det, nsubj],
    ]  # fmt: skip
