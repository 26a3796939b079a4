"""Arc-standard oracle for sentences in which only some words have a known head.

A move is *allowed* where it keeps every known arc within reach: some sequence of moves after it
ends in a projective tree with one root that contains all known arcs. Training sums the
probability of all allowed moves, so that nothing is learned as wrong that may be right.

Why a local test is exact. Call a word *complete* once all its known dependents are attached.
From a state with a completion (what a dependent of unknown head contributes can always be handed
to the word that replaces its head):

* LEFT and RIGHT keep a completion exactly if the word they remove is complete, is not the known
  root, and has as known head the other word or none.
* SHIFT buries the top of the stack. A buried word either is removed by a later LEFT, and then gets
  no further dependent, or comes to the top again after it has absorbed everything to its right.
  It is *bound* to the second fate if it is incomplete or has its known head on its left; every
  other word can take the first one or, as the known root, has nothing in the way of the second.
  So SHIFT keeps a completion exactly if the next word can become a descendant of the topmost
  bound word: the span of words that known arcs oblige to follow it there must not hold the root
  or an arc to that bound word's left, or the head of that bound word.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...brackets import Bracket, first_crossing
from ...cycles import find_cycle
from ...errors import ActionError
from .arc_standard import LEFT, RIGHT, SHIFT

UNKNOWN = -1


@dataclass(frozen=True)
class PartialOracle:
    """A path through the arc-standard system that loses no known arc of a sentence of n words.

    Attributes:
        moves: (2n-1,) the moves of the path.
        allowed: (2n-1, 3) bool; at each state, the legal moves that keep every known arc within
            reach, in the order SHIFT, LEFT, RIGHT.
    """

    moves: NDArray[np.int64]
    allowed: NDArray[np.bool_]


class PartialConfiguration:
    """A state of the arc-standard system that knows which moves keep the known arcs within reach.

    Every path of allowed moves ends in a tree with all known arcs. A caller can choose its own
    path, such as the model's best allowed move at each state.

    Args:
        heads: The head of each word: its own index for the root, -1 for unknown.

    Raises:
        ActionError: No projective tree with one root contains the known arcs.
    """

    def __init__(self, heads: Sequence[int]) -> None:
        self.heads = [int(head) for head in heads]
        check_known_arcs(self.heads)
        n = len(self.heads)
        self.stack: list[int] = []
        self.next_word = 0
        # Known dependents not yet attached, and the outermost words linked to a word by known arcs.
        self._left_pending = [0] * n
        self._right_pending = [0] * n
        self._leftmost = list(range(n))
        self._rightmost = list(range(n))
        for word, head in enumerate(self.heads):
            if head in (UNKNOWN, word):
                continue
            (self._left_pending if word < head else self._right_pending)[head] += 1
            left, right = min(word, head), max(word, head)
            self._rightmost[left] = max(self._rightmost[left], right)
            self._leftmost[right] = min(self._leftmost[right], left)
        # Per buried word: the topmost bound word at or below it, -1 if none. Whether a word is
        # bound does not change while it is buried.
        self._bound: list[int] = []

    def allowed(self) -> tuple[bool, bool, bool]:
        """Return whether SHIFT, LEFT and RIGHT are legal and keep every known arc within reach."""
        if len(self.stack) < 2:
            return self._may_shift(), False, False
        below, top = self.stack[-2:]
        return self._may_shift(), self._may_attach(below, top), self._may_attach(top, below)

    def apply(self, move: int) -> None:
        """Make an allowed move."""
        if move == SHIFT:
            if self.stack:
                self._bound.append(self._bound_after_shift())
            self.stack.append(self.next_word)
            self.next_word += 1
            return
        word = self.stack.pop(-2 if move == LEFT else -1)
        self._bound.pop()
        head = self.heads[word]
        if head != UNKNOWN:
            (self._left_pending if word < head else self._right_pending)[head] -= 1

    def _may_attach(self, word: int, head: int) -> bool:
        complete = not (self._left_pending[word] or self._right_pending[word])
        return complete and self.heads[word] in (head, UNKNOWN)

    def _bound_after_shift(self) -> int:
        """The topmost bound word after a SHIFT onto the top of the stack; -1 if there is none."""
        top = self.stack[-1]
        incomplete = self._left_pending[top] or self._right_pending[top]
        if incomplete or UNKNOWN < self.heads[top] < top:
            return top
        return self._bound[-1] if self._bound else UNKNOWN

    def _may_shift(self) -> bool:
        if self.next_word == len(self.heads):
            return False
        bound = self._bound_after_shift() if self.stack else UNKNOWN
        if bound == UNKNOWN or self._right_pending[bound]:
            # No word must absorb the next one, or one that has a known arc over it or to it.
            return True
        # Arcs from the span to words between it and the bound word need no check: those words
        # passed it, with the same bound word, when they were shifted.
        word = end = self.next_word
        while word <= end:
            if self._leftmost[word] <= bound or self.heads[word] == word:
                return False
            end = max(end, self._rightmost[word])
            word += 1
        return True


def partial_oracle(heads: Sequence[int]) -> PartialOracle:
    """Find a path that loses no known arc, with all allowed moves along it.

    The path builds known arcs as soon as it can (LEFT before RIGHT), so that with all heads known
    it is that of the static oracle. A word of unknown head hangs on the word after it as soon as
    that is allowed, or on the word before it once no other move is. This keeps the stack about as
    shallow as in parsing. It also meets more of the full tree's states than two alternatives:
    attaching to the word before, and waiting.

    Args:
        heads: The head of each word: its own index for the root, -1 for unknown.

    Raises:
        ActionError: No projective tree with one root contains the known arcs.
    """
    configuration = PartialConfiguration(heads)
    steps = 2 * len(heads) - 1
    moves = np.empty(steps, dtype=np.int64)
    allowed = np.zeros((steps, 3), dtype=np.bool_)
    for step in range(steps):
        options = configuration.allowed()
        allowed[step] = options
        moves[step] = _preferred(configuration, options)
        configuration.apply(int(moves[step]))
    return PartialOracle(moves, allowed)


def _preferred(configuration: PartialConfiguration, options: tuple[bool, bool, bool]) -> int:
    heads, stack = configuration.heads, configuration.stack
    known_right = options[RIGHT] and heads[stack[-1]] != UNKNOWN
    if options[LEFT] and (heads[stack[-2]] != UNKNOWN or not known_right):
        return LEFT
    if known_right:
        return RIGHT
    return SHIFT if options[SHIFT] else RIGHT


def check_known_arcs(heads: Sequence[int]) -> None:
    """Check that some projective tree with one root contains all known arcs.

    Known arcs without one of the faults below can always be completed.

    Args:
        heads: The head of each word: its own index for the root, -1 for unknown.

    Raises:
        ActionError: There are no words, a head outside of the sentence, two roots, a cycle,
            crossing arcs, or an arc over the root or over the head of the word it starts from. The
            error names the words, counted from 0.
    """
    check_heads(heads, single_root=True)
    roots = [word for word, head in enumerate(heads) if head == word]
    arcs = [(word, head) for word, head in enumerate(heads) if head not in (UNKNOWN, word)]
    crossing = first_crossing(Bracket("", min(arc), max(arc)) for arc in arcs)
    if crossing is not None:
        (_, *arc), (_, *other) = crossing
        raise ActionError(
            f"The arcs between words {arc[0]} and {arc[1]} and between words {other[0]} and "
            f"{other[1]} cross: no projective tree contains both (projectivize first)."
        )
    for word, head in arcs:
        left, right = min(word, head), max(word, head)
        if roots and left < roots[0] < right:
            raise ActionError(
                f"The arc from head {head} to word {word} covers the root, word {roots[0]}: no "
                "projective tree contains both."
            )
        if left < heads[head] < right:
            raise ActionError(
                f"The arc from head {head} to word {word} covers word {heads[head]}, the head of "
                f"word {head}: no projective tree contains both arcs."
            )


def check_heads(heads: Sequence[int], single_root: bool) -> None:
    """Check that some tree, projective or not, contains all known arcs.

    Args:
        heads: The head of each word: its own index for a root, -1 for unknown.
        single_root: The tree has exactly one root.

    Raises:
        ActionError: There are no words, a head outside of the sentence, two roots, or a cycle.
    """
    n = len(heads)
    if not n:
        raise ActionError("A sentence without words has no transitions.")
    for word, head in enumerate(heads):
        if not UNKNOWN <= head < n:
            raise ActionError(
                f"The head of word {word} is {head}: expected -1 (unknown) or a word of the "
                f"sentence, 0 to {n - 1}."
            )
    roots = [word for word, head in enumerate(heads) if head == word]
    if single_root and len(roots) > 1:
        raise ActionError(f"Words {roots[0]} and {roots[1]} are both roots: a tree has one root.")
    word_on_cycle = find_cycle([None if head == UNKNOWN else head for head in heads])
    if word_on_cycle is not None:
        raise ActionError(f"The heads of word {word_on_cycle} form a cycle that comes back to it.")
