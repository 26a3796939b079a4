import itertools
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_structparse.errors import ActionError
from spacy_structparse.transitions.dependency.arc_standard import LEFT, RIGHT, SHIFT, derive, oracle
from spacy_structparse.transitions.dependency.partial_oracle import (
    PartialConfiguration,
    partial_oracle,
)
from tests.helpers.dependency_strategies import all_move_sequences
from tests.helpers.parser_cases import heads_from

Moves = tuple[int, ...]


def replay(moves: Moves | list[int]) -> list[int]:
    """The heads that a sequence of moves builds; the last word left is its own head."""
    heads: list[int] = heads_from(derive(moves)).tolist()
    return heads


@cache
def all_derivations(n: int) -> dict[Moves, list[int]]:
    """Every complete sequence of moves over n words, with the heads it builds."""
    return {tuple(moves): replay(moves) for moves in all_move_sequences(n)}


def keeps(known: list[int], heads: list[int]) -> bool:
    return all(k in (-1, head) for k, head in zip(known, heads, strict=True))


def check_against_all_derivations(known: list[int]) -> None:
    """In every state that allowed moves reach, allowed() must be what brute force finds."""
    good = [m for m, heads in all_derivations(len(known)).items() if keeps(known, heads)]
    if not good:
        with pytest.raises(ActionError):
            partial_oracle(known)
        return
    following: dict[Moves, set[int]] = {}
    for moves in good:
        for step, move in enumerate(moves):
            following.setdefault(moves[:step], set()).add(move)
    for prefix, expected in following.items():
        configuration = PartialConfiguration(known)
        for move in prefix:
            configuration.apply(move)
        found = {move for move in (SHIFT, LEFT, RIGHT) if configuration.allowed()[move]}
        assert found == expected, (known, prefix)
    path = partial_oracle(known)
    assert tuple(path.moves.tolist()) in good
    for step in range(len(path.moves)):
        expected = following[tuple(path.moves[:step].tolist())]
        assert set(np.flatnonzero(path.allowed[step]).tolist()) == expected


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_allowed_moves_are_exact_for_all_partial_heads(n: int) -> None:
    for known in itertools.product(range(-1, n), repeat=n):
        check_against_all_derivations(list(known))


@pytest.mark.parametrize(("n", "samples"), [(5, 200), (6, 60), (7, 10)])
def test_allowed_moves_are_exact_for_sampled_trees(n: int, samples: int) -> None:
    rng = random.Random(n)
    trees = list(all_derivations(n).values())
    for _ in range(samples):
        hidden = rng.choice([0.0, 0.3, 0.6])
        tree = rng.choice(trees)
        check_against_all_derivations([-1 if rng.random() < hidden else head for head in tree])


def random_path(known: list[int], rng: random.Random) -> list[int]:
    configuration = PartialConfiguration(known)
    moves = []
    while configuration.next_word < len(configuration.heads) or len(configuration.stack) > 1:
        options = [move for move in (SHIFT, LEFT, RIGHT) if configuration.allowed()[move]]
        moves.append(rng.choice(options))
        configuration.apply(moves[-1])
    return moves


@given(n=st.integers(1, 60), hidden=st.floats(0, 1), rng=st.randoms(use_true_random=False))
def test_any_allowed_path_keeps_all_known_arcs(n: int, hidden: float, rng: random.Random) -> None:
    tree = replay(random_path([-1] * n, rng))
    known = [-1 if rng.random() < hidden else head for head in tree]
    assert keeps(known, replay(random_path(known, rng)))
    path = partial_oracle(known)
    assert keeps(known, replay(path.moves.tolist()))
    assert path.allowed[np.arange(2 * n - 1), path.moves].all()


@given(n=st.integers(1, 60), rng=st.randoms(use_true_random=False))
def test_full_annotation_gives_the_static_oracle(n: int, rng: random.Random) -> None:
    tree = replay(random_path([-1] * n, rng))
    assert partial_oracle(tree).moves.tolist() == oracle(tree)
