"""Confidence of arcs is the product of the decisions on them."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from spacy_structparse.transitions.dependency.arc_confidence import arc_confidence
from spacy_structparse.transitions.dependency.arc_standard import (
    LEFT,
    RIGHT,
    SHIFT,
    ActionSet,
    derivations_of,
    derive,
)

ACTIONS = ActionSet(["a", "b"])
"""SHIFT, LEFT-a, LEFT-b, RIGHT-a, RIGHT-b."""


def test_two_words_by_hand() -> None:
    """SHIFT, SHIFT, LEFT-b: word 0 gets head 1 with P(LEFT) = 0.6, and label b with 0.2 / 0.6. Word
    1 stays the root unless RIGHT had attached it: 1 - 0.4."""
    probabilities = np.array([[1.0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0], [0, 0.4, 0.2, 0.1, 0.3]])
    found = arc_confidence(
        [derive([SHIFT, SHIFT, LEFT])], np.array([0, 0, 2]), probabilities, ACTIONS
    )
    np.testing.assert_allclose(found, [[0.6, 0.2], [0.6, 0.6]])


def test_an_attachment_to_the_same_head_is_no_other_one() -> None:
    """SHIFT, SHIFT, SHIFT, LEFT, RIGHT: words 1 and 2, then 2 to 0. Before word 2 is read, word 1
    might have gone to 0 (0.25), another head; at last it goes to 2 (0.5). Word 0 might have gone to
    1 (0.25), and then to 2 (0.4): it stays. Word 2 might have gone to 1 (0.5), and goes to 0."""
    probabilities = np.array(
        [
            [1.0, 0, 0, 0, 0],
            [1.0, 0, 0, 0, 0],
            [0.5, 0.25, 0, 0.25, 0],
            [0, 0.5, 0, 0.5, 0],
            [0, 0.4, 0, 0.6, 0],
        ]
    )
    moves = [SHIFT, SHIFT, SHIFT, LEFT, RIGHT]
    found = arc_confidence([derive(moves)], np.array([0, 0, 0, 1, 3]), probabilities, ACTIONS)
    np.testing.assert_allclose(found[:, 0], [0.75 * 0.6, 0.75 * 0.5, 0.5 * 0.6])
    # Here word 1 waits for its dependent 2 before it goes to 0: RIGHT at the third move would have
    # given it the same head.
    moves = [SHIFT, SHIFT, SHIFT, RIGHT, RIGHT]
    found = arc_confidence([derive(moves)], np.array([0, 0, 0, 3, 3]), probabilities, ACTIONS)
    np.testing.assert_allclose(found[:, 0], [0.75 * 0.6, 0.5 * 0.6, 0.5])


def naive(moves: list[int], actions: list[int], probabilities: np.ndarray) -> np.ndarray:
    """One sentence, move by move."""
    n = (len(moves) + 1) // 2
    stack: list[int] = []
    states = []
    buffer = 0
    head, at = {}, {}
    for step, move in enumerate(moves):
        states.append(list(stack))
        if move == SHIFT:
            stack.append(buffer)
            buffer += 1
        else:
            dependent = stack.pop(-2 if move == LEFT else -1)
            head[dependent], at[dependent] = stack[-1], step
    found = np.ones((n, 2))
    for word in range(n):
        for step, state in enumerate(states):
            if len(state) < 2 or word not in state[-2:]:
                continue
            other = state[-2] if word == state[-1] else state[-1]
            columns = slice(3, 5) if word == state[-1] else slice(1, 3)
            chance = probabilities[step, columns].sum()
            if at.get(word) == step:
                found[word] *= chance
                found[word, 1] *= probabilities[step, actions[step]] / chance
            elif head.get(word) != other:
                found[word] *= 1 - chance
    return found


def derivations(n: int) -> list[list[int]]:
    """All sequences of moves over n words."""
    found = []
    for moves in product((SHIFT, LEFT, RIGHT), repeat=2 * n - 1):
        try:
            derive(moves)
        except ValueError:
            continue
        found.append(list(moves))
    return found


@pytest.mark.parametrize("n", [1, 2, 3])
def test_all_derivations_as_one_by_one(n: int) -> None:
    rng: Any = np.random.default_rng(0)
    every = derivations(n)
    actions = [[m and 2 * m - 1 + int(rng.integers(2)) for m in moves] for moves in every]
    probabilities = [rng.dirichlet(np.ones(5), 2 * n - 1) for _ in every]
    expected = [naive(*one) for one in zip(every, actions, probabilities, strict=True)]
    found = arc_confidence(
        [derive(moves) for moves in every],
        np.concatenate(actions),
        np.concatenate(probabilities),
        ACTIONS,
    )
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-9)


def test_a_batch_of_several_lengths() -> None:
    batch = np.array([[0, 0], [0, -1], [3, -1]])
    found, actions = derivations_of(batch, np.array([2, 1]), ACTIONS)
    assert [one.moves.tolist() for one in found] == [[SHIFT, SHIFT, RIGHT], [SHIFT]]
    assert [one.tolist() for one in actions] == [[0, 0, 3], [0]]
