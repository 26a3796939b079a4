"""A dynamic oracle of arc-standard transitions: what to learn in any state, right or wrong."""

from dataclasses import dataclass

import numpy as np

from .arc_standard import LEFT, RIGHT, SHIFT, ActionSet, Derivation


@dataclass(frozen=True)
class ProjectiveTree:
    """A projective tree.

    Attributes:
        heads: (n,) heads; the root is its own head.
        labels: (n,) indices into the labels of an action set; -1 where the label is unknown.
    """

    heads: np.ndarray
    labels: np.ndarray


def dynamic_oracle(derivation: Derivation, heads: np.ndarray) -> np.ndarray:
    """Find the move to learn in every state of a derivation, right or wrong.

    In the states of the gold derivation this dynamic oracle equals the static one. Elsewhere
    arc-standard has no oracle that looks at one arc at a time, because the whole stack decides
    whether two arcs can both be built (Goldberg, Sartorio & Satta 2014 need a table of O(n³) for
    each state). This one counts the gold arcs that a reduction itself makes impossible, and reduces
    when there are none. It is exact in almost all states of a parser, and costs O(1) for a state.

    Args:
        derivation: The derivation.
        heads: (n,) the gold tree; the root is its own head.

    Returns:
        (2n-1,) moves.
    """
    n, n_moves = derivation.n_words, len(derivation.moves)
    step = np.arange(n_moves)
    reductions = derivation.moves != SHIFT
    # In state t a word is still to be attached if the move that attaches it is t or later.
    attached = np.full(n, n_moves)
    attached[derivation.dependents_at[reductions]] = step[reductions]
    dependents = np.flatnonzero(heads != np.arange(n))
    last_attached = np.full(n, -1)  # when the last gold dependent of a word finds some head
    np.maximum.at(last_attached, heads[dependents], attached[dependents])
    last_dependent = np.full(n, -1)
    np.maximum.at(last_dependent, heads[dependents], dependents)
    top, below = derivation.stack_words()

    def losses(dependent: np.ndarray, head: np.ndarray) -> np.ndarray:
        """Count the kinds of gold arcs lost with an arc: to the true head, to dependents."""
        true_head = heads[dependent]
        available = (true_head == dependent) | (attached[true_head] >= step)
        waits = (true_head != head) & available
        return waits.astype(np.int64) + (last_attached[dependent] >= step)

    left, right = losses(below, top), losses(top, below)
    in_buffer = (last_dependent[top] >= derivation.buffer) | (heads[top] >= derivation.buffer)
    reduction = np.where((left == 0) | ((right != 0) & (left < right)), LEFT, RIGHT)
    must_shift = (left != 0) & (right != 0) & (derivation.buffer < n) & in_buffer
    return np.where((below < 0) | must_shift, SHIFT, reduction)


def dynamic_targets(
    derivation: Derivation, tree: ProjectiveTree, action_set: ActionSet
) -> tuple[np.ndarray, np.ndarray]:
    """Find the actions to learn in every state of a derivation.

    An arc that is not in the tree, or whose label is unknown, may have any label.

    Returns:
        (2n-1,) actions and (2n-1, n_actions) bool.
    """
    moves = dynamic_oracle(derivation, tree.heads)
    top, below = derivation.stack_words()
    dependent = np.where(moves == LEFT, below, top)
    is_gold = tree.heads[dependent] == np.where(moves == LEFT, top, below)
    label = np.where(is_gold, tree.labels[dependent], -1)
    return action_set.actions_of(moves, label), action_set.right_actions(moves, label)
