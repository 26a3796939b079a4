"""Arc-standard transitions (Nivre 2004; Dyer et al. 2015, §3.2): actions, oracle, legality.

The stack holds partial trees, the buffer the words not yet read. SHIFT moves the first word of the
buffer to the stack; LEFT makes the top of the stack the head of the element below it; RIGHT makes
that element the head of the top (Figure 3 of the paper has the two names the other way round). A
sentence of n words takes exactly n SHIFTs and n - 1 reductions.

ROOT. With ROOT at the end of the buffer (``root = "last"``, §3.1 of the paper) or at the bottom of
the stack (``root = "first"``), legality lets exactly one word attach to it, and that word can only
be the last one left. The moves that touch ROOT are therefore forced, have probability one, and
are not enumerated: the word that remains after 2n - 1 moves is the root. ROOT is still an element
that the parser's LSTMs read (see :mod:`spacy_structparse.nn.stack_lstm.model`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import ActionError

SHIFT, LEFT, RIGHT = 0, 1, 2

ROOT_LABEL = "ROOT"


@dataclass(frozen=True)
class Derivation:
    """The moves that build one tree, with the words and elements of each.

    Attributes:
        moves: (2n-1,) SHIFT, LEFT or RIGHT.
        heads_at, dependents_at: (2n-1,) the word that gives and the word that takes the arc of a
            reduction; for a SHIFT both are the word shifted.
        head_elements, dependent_elements: (n-1,) the stack elements that reduction j combines: a
            word i is element i, and the result of reduction j is element n + j.
        pushed: (2n-1,) the element on top of the stack after the move.
        parents: (2n-1,) the move whose push lies below this move's push; -1 at the bottom.
        buffer: (2n-1,) the number of words shifted before the move.
    """

    moves: np.ndarray
    heads_at: np.ndarray
    dependents_at: np.ndarray
    head_elements: np.ndarray
    dependent_elements: np.ndarray
    pushed: np.ndarray
    parents: np.ndarray
    buffer: np.ndarray

    @property
    def n_words(self) -> int:
        return (len(self.moves) + 1) // 2

    def stack_words(self) -> tuple[np.ndarray, np.ndarray]:
        """The head words of the two topmost elements before every move: (2n-1,) each; -1: none."""
        top = np.concatenate([[-1], self.heads_at[:-1]])
        under = np.concatenate([[-1], self.parents[:-1]])
        return top, np.where(under >= 0, self.heads_at[under], -1)


def oracle(heads: Sequence[int]) -> list[int]:
    """Find the moves of a tree, by the static oracle.

    It reduces as soon as the dependent is complete, LEFT before RIGHT.

    Args:
        heads: The head of each word; the root is its own head.

    Returns:
        2n - 1 moves.

    Raises:
        ActionError: The heads are not a projective tree with one root.
    """
    n = len(heads)
    missing = [0] * n  # dependents not attached yet
    for word, head in enumerate(heads):
        if not 0 <= head < n:
            raise ActionError(f"word {word} has head {head}, outside the sentence of {n} words")
        if head != word:
            missing[head] += 1
    moves: list[int] = []
    stack: list[int] = []
    buffer = 0
    for _ in range(2 * n - 1):
        if len(stack) >= 2:
            top, below = stack[-1], stack[-2]
            if heads[below] == top and not missing[below]:
                missing[top] -= 1
                del stack[-2]
                moves.append(LEFT)
                continue
            if heads[top] == below and not missing[top]:
                missing[below] -= 1
                stack.pop()
                moves.append(RIGHT)
                continue
        if buffer == n:
            raise ActionError(
                f"words {stack[-2]} and {stack[-1]} cannot be joined: the tree has crossing arcs, "
                "a cycle or several roots"
            )
        stack.append(buffer)
        buffer += 1
        moves.append(SHIFT)
    return moves


def derive(moves: Sequence[int]) -> Derivation:
    """Replay legal moves."""
    n = (len(moves) + 1) // 2
    stack: list[tuple[int, int, int]] = []  # (head word, element, the move that pushed it)
    steps: list[tuple[int, int, int, int, int, int]] = []
    combined: list[tuple[int, int]] = []  # the elements of head and dependent of each reduction
    buffer = 0
    for step, move in enumerate(moves):
        read = buffer
        if move == SHIFT:
            head = dependent = element = buffer
            buffer += 1
        else:
            top, below = stack.pop(), stack.pop()
            (head, of_head, _), (dependent, of_dependent, _) = (
                (top, below) if move == LEFT else (below, top)
            )
            element = n + len(combined)
            combined.append((of_head, of_dependent))
        steps.append((move, head, dependent, element, stack[-1][2] if stack else -1, read))
        stack.append((head, element, step))
    taken, heads, dependents, pushed, parents, buffered = np.array(steps, dtype=np.int64).T
    of_heads, of_dependents = np.array(combined, dtype=np.int64).reshape(-1, 2).T
    return Derivation(taken, heads, dependents, of_heads, of_dependents, pushed, parents, buffered)


class ActionSet:
    """The parser's actions: SHIFT, then one LEFT and one RIGHT per label.

    Args:
        labels: Dependency labels, without the label of the root.

    Attributes:
        move_of: (n_actions,) the move of each action.
        label_of: (n_actions,) the index of its label; -1 for SHIFT.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        n = len(self.labels)
        self.move_of = np.array([SHIFT] + [LEFT] * n + [RIGHT] * n, dtype=np.int64)
        self.label_of = np.array([-1, *range(n), *range(n)], dtype=np.int64)
        self._index = {label: i for i, label in enumerate(self.labels)}

    def __len__(self) -> int:
        return len(self.move_of)

    def label_index(self, label: str) -> int:
        """The index of a label; -1 if it is unknown."""
        return self._index.get(label, -1)

    def actions_of(self, moves: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Find the actions of moves and labels; the first label where it is unknown.

        Args:
            moves: (T,) moves.
            labels: (T,) indices; -1 where the label is unknown. SHIFTs have none.

        Returns:
            (T,) actions.
        """
        reductions = 1 + np.maximum(labels, 0) + np.where(moves == RIGHT, len(self.labels), 0)
        return np.where(moves == SHIFT, 0, reductions)

    def right_actions(self, moves: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Find all actions that may be right: every label of the direction where it is unknown.

        Args:
            moves: (T,) moves.
            labels: (T,) indices; -1 where the label is unknown.

        Returns:
            (T, n_actions) bool.
        """
        right = np.zeros((len(moves), len(self)), dtype=bool)
        right[np.arange(len(moves)), self.actions_of(moves, labels)] = True
        any_label = np.flatnonzero((moves != SHIFT) & (labels < 0))
        right[any_label] = self.move_of == moves[any_label, None]
        return right

    def illegal(self) -> np.ndarray:
        """(4, n_actions) bool; True for illegal actions.

        Rows are SHIFT possible + 2 * reduction possible.
        """
        shift = self.move_of == SHIFT
        codes = np.arange(4)[:, None]
        return np.where(shift, codes & 1, codes & 2) == 0


def still_running(lengths: np.ndarray) -> np.ndarray:
    """(longest,) the number of sequences longer than each step, which are a prefix of the batch.

    Args:
        lengths: (B,) lengths in descending order.
    """
    longest = int(lengths[0]) if len(lengths) else 0
    return len(lengths) - np.searchsorted(lengths[::-1], np.arange(longest), side="right")


def replay(
    actions: np.ndarray, lengths: np.ndarray, action_set: ActionSet
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Replay a batch of action sequences, all sentences in step.

    Args:
        actions: (2 * longest - 1, B) actions, sentences longest first.
        lengths: (B,) words of each sentence.
        action_set: The actions.

    Returns:
        (T,) the actions and (T,) their moves, step by step: the first one of all sentences, the
        second one of those that are still running, and so on. (T,) the head word of the topmost
        element of the stack before the move, and (T,) of the one below it, counted over all
        sentences end to end; -1: none.
    """
    n_sentences = len(lengths)
    stack = np.full((n_sentences, int(lengths[0]) + 2), -1, dtype=np.int64)
    height = np.zeros(n_sentences, dtype=np.int64)  # two places with nothing are below the stack
    buffer = np.cumsum(lengths) - lengths
    everyone = np.arange(n_sentences)
    steps = []
    for step, m in enumerate(still_running(2 * lengths - 1)):
        rows, h = everyone[:m], height[:m]
        moves = action_set.move_of[actions[step, :m]]
        top, below = stack[rows, h + 1], stack[rows, h]
        steps.append((actions[step, :m], moves, top, below))
        shift = moves == SHIFT
        h += np.where(shift, 1, -1)
        stack[rows, h + 1] = np.where(shift, buffer[:m], np.where(moves == LEFT, top, below))
        buffer[:m] += shift
    taken, moves, top, below = map(np.concatenate, zip(*steps, strict=True))
    return taken, moves, top, below


def arcs_from_actions(
    actions: np.ndarray, lengths: np.ndarray, action_set: ActionSet
) -> tuple[np.ndarray, np.ndarray]:
    """Build the arcs of a batch of action sequences.

    Args:
        actions, lengths, action_set: Of :func:`replay`.

    Returns:
        (N,) heads within each sentence, the root being its own head, and (N,) indices of labels, -1
        at the root; both for sentences end to end.
    """
    taken, moves, top, below = replay(actions, lengths, action_set)
    dependents = np.where(moves == LEFT, below, top)
    reduces = moves != SHIFT
    heads = np.arange(int(lengths.sum()))
    heads[dependents[reduces]] = np.where(moves == LEFT, top, below)[reduces]
    labels = np.full(len(heads), -1, dtype=np.int64)
    labels[dependents[reduces]] = action_set.label_of[taken[reduces]]
    return heads - np.repeat(np.cumsum(lengths) - lengths, lengths), labels
