"""Confidence of arcs is the product of the decisions on them."""

from typing import Any

import numpy as np
import torch

from spacy_structparse.transitions.dependency.arc_confidence import arc_confidence
from spacy_structparse.transitions.dependency.arc_standard import LEFT, SHIFT, ActionSet
from tests.helpers.dependency_strategies import all_move_sequences

ACTIONS = ActionSet(["a", "b"])
"""SHIFT, LEFT-a, LEFT-b, RIGHT-a, RIGHT-b."""


def confidence_of(actions: list[list[int]], probabilities: list[np.ndarray]) -> np.ndarray:
    """Of sentences, longest first, whose states have these probabilities of each action."""
    steps = max(map(len, actions))
    padded = np.array([[*one, *[-1] * (steps - len(one))] for one in actions]).T
    rows = [
        one[step]
        for step in range(steps)
        for one, taken in zip(probabilities, actions, strict=True)
        if step < len(taken)
    ]
    scores = torch.from_numpy(np.array(rows)).log()
    lengths = np.array([(len(one) + 1) // 2 for one in actions])
    return arc_confidence(padded, scores, lengths, ACTIONS)


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


def test_all_derivations_as_one_by_one() -> None:
    """Those of three words, then of two, then of one, in one batch."""
    rng: Any = np.random.default_rng(0)
    every = [moves for n in (3, 2, 1) for moves in all_move_sequences(n)]
    actions = [[m and 2 * m - 1 + int(rng.integers(2)) for m in moves] for moves in every]
    probabilities = [rng.dirichlet(np.ones(5), len(moves)) for moves in every]
    expected = [naive(*one) for one in zip(every, actions, probabilities, strict=True)]
    found = confidence_of(actions, probabilities)
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-5)
