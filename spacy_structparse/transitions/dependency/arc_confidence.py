"""The confidence of the arcs of an arc-standard derivation, from its actions' probabilities.

An arc is decided by more actions than the one that draws it. As long as a word is one of the two
topmost elements of the stack, it could be attached to the other one. The confidence of a word's
head is the product of the probabilities of these decisions: not to attach it to another word, in
each such state, and at last to attach it to its head. Other decisions, such as when to shift later
words, are left out. The hypotheses of a beam say less: most of them share most of their arcs.
"""

import numpy as np
import torch
from torch import Tensor

from .arc_standard import LEFT, RIGHT, SHIFT, ActionSet, replay

_LEAST = 1e-12


def arc_confidence(
    actions: np.ndarray, scores: Tensor, lengths: np.ndarray, action_set: ActionSet
) -> np.ndarray:
    """Compute how sure the head and the label of every word are.

    Args:
        actions: (2 * longest - 1, B) actions, -1 after a sentence's end, sentences longest first.
        scores: (T, n_actions) the scores that the actions were chosen by, step by step: the first
            one of all sentences, the second one of those that are still running, and so on.
        lengths: (B,) words of each sentence.
        action_set: The actions.

    Returns:
        (N, 2) of heads, and of heads and labels together, for sentences end to end. The root, which
        no action attaches, has the probability of staying.
    """
    n_labels = len(action_set.labels)
    probabilities = scores.float().softmax(1)
    by_move = [part.sum(1) for part in probabilities.split([1, n_labels, n_labels], 1)]
    chosen = scores.new_tensor(actions[actions >= 0], dtype=torch.long)
    of_chosen = probabilities.gather(1, chosen[:, None])[:, 0]
    chances = torch.stack([*by_move, of_chosen], 1).cpu().double().numpy()
    of_moves, of_actions = chances[:, :3], chances[:, 3]
    n_words = int(lengths.sum())
    _, moves, top, below = replay(actions, lengths, action_set)
    log_p = np.zeros(n_words)
    attaching = np.flatnonzero(moves != SHIFT)
    dependent = np.where(moves == RIGHT, top, below)[attaching]
    head_of = np.full(n_words, -1)
    head_of[dependent] = np.where(moves == RIGHT, below, top)[attaching]
    # The states in which each of the two topmost words could be attached to the other one.
    both = np.flatnonzero(below >= 0)
    for words_of, others_of, move in ((top, below, RIGHT), (below, top, LEFT)):
        word, chance = words_of[both], of_moves[both, move]
        other = np.where(head_of[word] == others_of[both], 1.0, 1 - chance)
        decided = np.where(moves[both] == move, chance, other)
        log_p += np.bincount(word, np.log(np.maximum(decided, _LEAST)), n_words)
    of_label = np.ones(n_words)
    chance = np.maximum(of_moves[attaching, moves[attaching]], _LEAST)
    of_label[dependent] = np.minimum(of_actions[attaching] / chance, 1.0)
    heads = np.exp(log_p)
    return np.stack([heads, heads * of_label], 1)
