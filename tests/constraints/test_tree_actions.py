"""Constraints allow exactly the actions after which a tree with all known spans can be reached."""

from collections.abc import Iterator
from copy import copy
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from spacy_structparse.brackets import Bracket, first_crossing
from spacy_structparse.constraints import copied
from spacy_structparse.transitions.constituency.bottom_up import FIRST_LABEL, BottomUp
from spacy_structparse.transitions.constituency.constraints import (
    known_spans,
)
from spacy_structparse.transitions.constituency.in_order import InOrder
from spacy_structparse.transitions.constituency.interface import Linearization
from spacy_structparse.transitions.constituency.top_down import TopDown
from tests.helpers.naive_linearizations import NaiveBottomUp, naive_state

LABELS = ("A", "B")
SYSTEMS: dict[str, Linearization] = {
    "bottom_up": BottomUp([["A"], ["B"], ["A", "B"]]),
    "top_down": TopDown(LABELS, max_run=2, spare_brackets=1),
    "in_order": InOrder(LABELS, max_run=3, spare_brackets=1),
}
Known = tuple[Bracket, ...]


class Reference:
    """A derivation, with the brackets that it has built. Knows nothing of constraints."""

    def __init__(self, system: Linearization, n: int) -> None:
        self.naive = naive_state(system, n, [""] * n)
        self.built: frozenset[Bracket] = frozenset()

    def after(self, action: int) -> "Reference":
        other = copy(self)
        other.naive = copy(self.naive)
        other.naive.stack = list(self.naive.stack)
        other.built = self.built | set(self.new(action))
        other.naive.apply(action)
        return other

    def new(self, action: int) -> list[Bracket]:
        naive = self.naive
        if isinstance(naive, NaiveBottomUp):
            chain = naive.system.chains[action - FIRST_LABEL] if action >= FIRST_LABEL else ()
            return [Bracket(label, *naive.stack[-1]) for label in chain]
        if naive.name(action)[0] != "close":
            return []
        _, start, label, _ = naive.open_brackets()[-1]
        return [Bracket(label, start, naive.t)]

    def key(self, known: Known) -> tuple[Any, ...]:
        """All that legal actions and known brackets depend on."""
        naive = self.naive
        met = tuple(is_met(one, self.built) for one in known)
        if isinstance(naive, NaiveBottomUp):
            return naive.z, tuple(naive.stack), met
        stack = [item for i, item in enumerate(naive.stack) if self._counts(i)]
        return tuple(stack), naive.t, naive.opened, naive.finished, met

    def _counts(self, i: int) -> bool:
        """Of complete elements side by side the last one alone decides what is legal."""
        stack = self.naive.stack
        return i + 1 == len(stack) or "open" in (stack[i][0], stack[i + 1][0])


def is_met(one: Bracket, built: frozenset[Bracket]) -> bool:
    if one.label:
        return one in built
    return any(bracket[1:] == one[1:] for bracket in built)


def reaches(state: Reference, known: Known, memory: dict[Any, bool]) -> bool:
    """Whether legal actions lead from a state to a tree that has all known brackets."""
    if state.naive.finished:
        return all(is_met(one, state.built) for one in known)
    key = state.key(known)
    if key not in memory:
        memory[key] = any(
            reaches(state.after(action), known, memory) for action in sorted(state.naive.legal())
        )
    return memory[key]


def check(system: Linearization, n: int, known: Known, exactly: bool = True) -> None:
    """In all states that are reached, the allowed actions are those that reach such a tree, or some
    of them."""
    memory: dict[Any, bool] = {}
    state = Reference(system, n)
    possible = reaches(state, known, memory)
    if not possible:
        return
    seen = set()
    waiting = [(state, system.constraint(known_spans(known), n))]
    while waiting:
        state, constraint = waiting.pop()
        if state.key(known) in seen:
            continue
        seen.add(state.key(known))
        allowed = set(np.flatnonzero(constraint.allowed()).tolist()) & state.naive.legal()
        right = {a for a in state.naive.legal() if reaches(state.after(a), known, memory)}
        assert allowed, "a dead end"
        assert allowed == right if exactly else allowed <= right, (known, state.naive.stack)
        if state.naive.finished:
            continue
        for action in allowed:
            other = copied(constraint)
            other.apply(action)
            waiting.append((state.after(action), other))


def known_brackets(n: int, most: int = 2) -> Iterator[Known]:
    """All sets of one or two brackets over n words that do not cross."""
    spans = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
    single = [Bracket(label, i, j) for i, j in spans for label in ("", *LABELS)]
    for size in range(1, most + 1):
        for known in combinations(single, size):
            if first_crossing(known) is None:
                yield known


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("n", [1, 2])
def test_every_action_that_can_keep_all_is_allowed(name: str, n: int) -> None:
    for known in known_brackets(n):
        check(SYSTEMS[name], n, known)


# Longer sentences have too many derivations for all sets: some of them, spread over all.
SPREAD = {("bottom_up", 3): 1, ("bottom_up", 4): 15, ("top_down", 3): 80, ("in_order", 3): 80}


@pytest.mark.parametrize(("name", "n"), SPREAD)
def test_longer_sentences(name: str, n: int) -> None:
    for known in list(known_brackets(n))[:: SPREAD[name, n]]:
        check(SYSTEMS[name], n, known)


@pytest.mark.parametrize("kind", [TopDown, InOrder])
@pytest.mark.parametrize("closing_labels", [True, False])
def test_bounds_leave_a_way(kind: type[TopDown | InOrder], closing_labels: bool) -> None:
    """With narrow bounds some ways are lost, but none that is begun ends before the tree does."""
    bounds = [
        {"max_run": 1, "max_depth": 3, "spare_brackets": 1},
        {"max_run": 2, "max_depth": 2, "spare_brackets": 1},
    ]
    for settings in bounds:
        system = kind(LABELS, closing_labels=closing_labels, **settings)
        for known in list(known_brackets(3))[::9]:
            check(system, 3, known, exactly=False)
