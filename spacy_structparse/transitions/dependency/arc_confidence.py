"""How sure the arcs of an arc-standard derivation are, from the probabilities of its actions.

An arc is decided by more actions than the one that draws it. As long as a word is one of the two
topmost elements of the stack, it could be attached to the other one. The confidence of a word's
head is the product of the probabilities of these decisions: not to attach it to another word, in
each such state, and at last to attach it to its head. Other decisions, such as when to shift later
words, are left out. The hypotheses of a beam say less: most of them share most of their arcs.
"""

from collections.abc import Sequence

import numpy as np

from .arc_standard import LEFT, RIGHT, SHIFT, ActionSet, Derivation

_LEAST = 1e-12


def arc_confidence(
    derivations: Sequence[Derivation],
    actions: np.ndarray,
    probabilities: np.ndarray,
    action_set: ActionSet,
) -> np.ndarray:
    """Compute how sure the head and the label of every word are.

    Args:
        derivations: The moves of B sentences.
        actions: (T,) the actions of all sentences end to end.
        probabilities: (T, n_actions) of every action in the state before it.
        action_set: The actions.

    Returns:
        (N, 2) of heads, and of heads and labels together, for sentences end to end. The root, which
        no action attaches, has the probability of staying.
    """
    n_labels = len(action_set.labels)
    by_move = np.stack(
        [
            probabilities[:, 0],
            probabilities[:, 1 : 1 + n_labels].sum(1),
            probabilities[:, 1 + n_labels :].sum(1),
        ],
        1,
    )
    starts = np.cumsum([0, *(one.n_words for one in derivations)])
    moves = np.concatenate([one.moves for one in derivations])
    words = [one.stack_words() for one in derivations]
    top, below = (
        np.concatenate(
            [np.where(w[i] < 0, -1, w[i] + start) for w, start in zip(words, starts, strict=False)]
        )
        for i in (0, 1)
    )
    n_words = int(starts[-1])
    log_p = np.zeros(n_words)
    attaching = np.flatnonzero(moves != SHIFT)
    dependent = np.where(moves == RIGHT, top, below)[attaching]
    head_of = np.full(n_words, -1)
    head_of[dependent] = np.where(moves == RIGHT, below, top)[attaching]
    # The states in which each of the two topmost words could be attached to the other one.
    both = np.flatnonzero(below >= 0)
    for words_of, others_of, move in ((top, below, RIGHT), (below, top, LEFT)):
        word, chance = words_of[both], by_move[both, move]
        kept = np.where(head_of[word] == others_of[both], 1.0, 1 - chance)
        decided = np.where(moves[both] == move, chance, kept)
        log_p += np.bincount(word, np.log(np.maximum(decided, _LEAST)), n_words)
    chance = by_move[attaching, moves[attaching]]
    of_label = np.ones(n_words)
    of_action = probabilities[attaching, actions[attaching]]
    of_label[dependent] = np.minimum(of_action / np.maximum(chance, _LEAST), 1.0)
    heads = np.exp(log_p)
    return np.stack([heads, heads * of_label], 1)
