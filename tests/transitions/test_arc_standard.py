import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_structparse.transitions.dependency.arc_standard import (
    LEFT,
    SHIFT,
    ActionSet,
    arcs_from_actions,
    derive,
    oracle,
)
from tests.helpers.dependency_strategies import move_sequences, projective_trees
from tests.helpers.parser_cases import action_of, heads_from


def labelled_actions(moves: list[int], heads_labels: list[int], action_set: ActionSet) -> list[int]:
    """The moves as actions; a reduction has the label of the word that it attaches."""
    dependents = derive(moves).dependents_at.tolist()
    return [
        action_of(action_set, move, heads_labels[dependent])
        for move, dependent in zip(moves, dependents, strict=True)
    ]


def batch_arcs(
    sequences: list[list[int]], action_set: ActionSet
) -> tuple[list[list[int]], list[list[int]]]:
    """Heads and labels of each sequence, from arcs_from_actions over all of them together."""
    lengths = np.array([(len(sequence) + 1) // 2 for sequence in sequences])
    order = np.argsort(-lengths, kind="stable")
    actions = np.full((2 * lengths.max() - 1, len(sequences)), -1)
    for column, i in enumerate(order):
        actions[: len(sequences[i]), column] = sequences[i]
    heads, labels = arcs_from_actions(actions, lengths[order], action_set)
    ends = np.cumsum(lengths[order])[:-1]
    back = np.argsort(order)
    parts = [np.split(column, ends) for column in (heads, labels)]
    found_heads, found_labels = ([part[i].tolist() for i in back] for part in parts)
    return found_heads, found_labels


@settings(max_examples=60)
@given(projective_trees())
def test_a_tree_comes_back_from_its_moves(heads: list[int]) -> None:
    moves = oracle(heads)
    assert len(moves) == 2 * len(heads) - 1
    assert moves.count(SHIFT) == len(heads)
    assert heads_from(derive(moves)).tolist() == heads


@settings(max_examples=60)
@given(move_sequences())
def test_a_derivation_says_what_each_move_works_on(moves: list[int]) -> None:
    n = (len(moves) + 1) // 2
    derivation = derive(moves)
    assert derivation.n_words == n
    assert derivation.moves.tolist() == moves
    stack: list[tuple[int, int, int]] = []  # word, element, the move that pushed it
    shifted = reduced = 0
    heads = list(range(n))
    for step, move in enumerate(moves):
        assert derivation.buffer[step] == shifted
        if move == SHIFT:
            word = element = dependent = shifted
            shifted += 1
        else:
            top, below = stack.pop(), stack.pop()
            head, other = (top, below) if move == LEFT else (below, top)
            assert derivation.head_elements[reduced] == head[1]
            assert derivation.dependent_elements[reduced] == other[1]
            word, element, dependent = head[0], n + reduced, other[0]
            heads[dependent] = word
            reduced += 1
        assert derivation.heads_at[step] == word
        assert derivation.dependents_at[step] == dependent
        assert derivation.pushed[step] == element
        assert derivation.parents[step] == (stack[-1][2] if stack else -1)
        stack.append((word, element, step))
    assert heads_from(derivation).tolist() == heads


@settings(max_examples=60)
@given(st.lists(move_sequences(6), min_size=1, max_size=5))
def test_a_batch_of_actions_builds_the_arcs_of_each_sequence(cases: list[list[int]]) -> None:
    action_set = ActionSet(["det", "nsubj", "obj"])
    rng = np.random.default_rng(len(cases))
    sequences, heads, labels = [], [], []
    for moves in cases:
        derivation = derive(moves)
        of_words = rng.integers(0, 3, derivation.n_words).tolist()
        sequences.append(labelled_actions(moves, of_words, action_set))
        heads.append(heads_from(derivation).tolist())
        of_words[int(derivation.heads_at[-1])] = -1
        labels.append(of_words)
    assert batch_arcs(sequences, action_set) == (heads, labels)
