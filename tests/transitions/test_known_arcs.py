"""Derivations that keep what is known of their arcs: those of trying every tree."""

import itertools

import numpy as np
import pytest

from spacy_structparse.constraints import copied
from spacy_structparse.errors import ActionError
from spacy_structparse.transitions.dependency.arc_standard import LEFT, SHIFT, ActionSet, oracle
from spacy_structparse.transitions.dependency.known_arcs import ArcConstraint, KnownArcs

ACTIONS = ActionSet(["a", "b"])
Tree = tuple[tuple[int, ...], tuple[int, ...]]


def projective(n: int) -> list[tuple[int, ...]]:
    """The heads of every projective tree with one root."""
    found = []
    for heads in itertools.product(range(n), repeat=n):
        try:
            oracle(heads)
        except ActionError:
            continue
        found.append(heads)
    return found


def labelled(n: int) -> list[Tree]:
    """Every tree with every choice of labels, -1 at the root."""
    return [
        (heads, labels)
        for heads in projective(n)
        for labels in itertools.product(
            *[[-1] if head == i else [0, 1] for i, head in enumerate(heads)]
        )
    ]


def kept(known: KnownArcs, tree: Tree) -> bool:
    """Whether a tree has what is known, word by word."""
    heads, labels = tree
    return all(
        known.heads[i] in (-1, head)
        and (known.may_be_root[i] if head == i else known.labels[i, labels[i]])
        for i, head in enumerate(heads)
    )


def reached(constraint: ArcConstraint, n: int) -> tuple[set[Tree], int]:
    """The trees of all derivations that a constraint allows, and its dead ends."""
    found: set[Tree] = set()
    dead_ends = 0
    heads, labels = list(range(n)), [-1] * n

    def go_on(state: ArcConstraint, stack: list[int], read: int) -> None:
        nonlocal dead_ends
        if read == n and len(stack) == 1:
            found.add((tuple(heads), tuple(labels)))
            return
        legal = np.where(ACTIONS.move_of == SHIFT, read < n, len(stack) > 1)
        actions = np.flatnonzero(state.allowed() & legal).tolist()
        dead_ends += not actions
        for action in actions:
            after = copied(state)
            after.apply(action)
            if action == 0:
                go_on(after, [*stack, read], read + 1)
                continue
            below, top = stack[-2:]
            is_left = ACTIONS.move_of[action] == LEFT
            word, head = (below, top) if is_left else (top, below)
            heads[word], labels[word] = head, int(ACTIONS.label_of[action])
            go_on(after, [*stack[:-2], head], read)
            heads[word], labels[word] = word, -1

    go_on(constraint, [], 0)
    return found, dead_ends


def some_known(n: int, seed: int) -> KnownArcs:
    """Half of the heads and labels of one tree, at random."""
    rng = np.random.default_rng(seed)
    trees = labelled(n)
    heads, of_words = (np.array(one) for one in trees[rng.integers(len(trees))])
    is_root = heads == np.arange(n)
    known_head, known_label = rng.random((2, n)) < 0.4
    labels = np.ones((n, 2), dtype=bool)
    only = known_label & ~is_root
    labels[only] = np.eye(2, dtype=bool)[of_words[only]]
    return KnownArcs(np.where(known_head, heads, -1), labels, ~only)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_trees_that_keep_it_and_no_other(n: int) -> None:
    trees = labelled(n)
    for seed in range(25):
        known = some_known(n, seed)
        found, dead_ends = reached(ArcConstraint(known, ACTIONS), n)
        assert found == {tree for tree in trees if kept(known, tree)}
        assert not dead_ends
        for heads, labels in trees:
            assert known.is_kept(np.array(heads), np.array(labels)) == kept(known, (heads, labels))
