"""Known arcs of a sentence, and the arc-standard derivations that keep them."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ...constraints import copied
from ...errors import ActionError
from .arc_standard import ActionSet
from .partial_oracle import UNKNOWN, PartialConfiguration


@dataclass(frozen=True)
class KnownArcs:
    """The arcs that are known of a sentence of n words.

    Attributes:
        heads: (n,) the head of each word: its own index for the root, -1 for unknown.
        labels: (n, n_labels) bool; the labels that each word may have if it is not the root.
        may_be_root: (n,) bool; False for a word that has a label other than the root's.
    """

    heads: np.ndarray
    labels: np.ndarray
    may_be_root: np.ndarray

    def allowed_heads(self) -> np.ndarray:
        """(n, n) bool; the heads that each word may have, ROOT on the diagonal."""
        n = len(self.heads)
        allowed = np.ones((n, n), dtype=bool)
        np.fill_diagonal(allowed, self.may_be_root)
        known = np.flatnonzero(self.heads != UNKNOWN)
        allowed[known] = False
        allowed[known, self.heads[known]] = True
        return allowed

    def is_kept(self, heads: np.ndarray, labels: np.ndarray) -> bool:
        """Return whether a tree keeps everything that is known.

        Args:
            heads: (n,) heads, the root its own.
            labels: (n,) indices of labels; those of roots do not count.
        """
        words = np.arange(len(heads))
        below = np.flatnonzero(heads != words)
        if not self.allowed_heads()[words, heads].all():
            return False
        return bool(self.labels[below, labels[below]].all())


def configurations(known: KnownArcs) -> list[PartialConfiguration]:
    """Begin the derivations that keep known heads: one for each word that may be the root, or one
    where any open word may.

    Raises:
        ActionError: No projective tree with one root keeps them. The error counts words from 0.
    """
    heads = known.heads.tolist()
    anyone = PartialConfiguration(heads)
    is_open = known.heads == UNKNOWN
    if (known.heads == np.arange(len(heads))).any() or known.may_be_root[is_open].all():
        return [anyone]
    rooted = []
    for word in np.flatnonzero(is_open & known.may_be_root).tolist():
        with suppress(ActionError):
            rooted.append(PartialConfiguration([*heads[:word], word, *heads[word + 1 :]]))
    if not rooted:
        raise ActionError(
            "No word is left that can be the root of a projective tree with the known arcs."
        )
    return rooted


class ArcConstraint:
    """An arc-standard derivation that keeps what is known of its arcs.

    A word whose label is known to be another one than the root's must not become the root. The
    words that may are then tried side by side: a move is allowed if it is for one of them.

    Args:
        known: What is known.
        action_set: The actions.

    Raises:
        ActionError: No projective tree with one root keeps the known heads.
    """

    def __init__(self, known: KnownArcs, action_set: ActionSet) -> None:
        self.known = known
        self.action_set = action_set
        self._configurations = configurations(known)

    def allowed(self) -> np.ndarray:
        """(n_actions,) bool."""
        moves = np.any([configuration.allowed() for configuration in self._configurations], axis=0)
        allowed = moves[self.action_set.move_of]
        stack = self._configurations[0].stack
        if len(stack) < 2:
            return allowed
        below, top = stack[-2:]
        n_labels = len(self.action_set.labels)
        allowed[1 : 1 + n_labels] &= self.known.labels[below]
        allowed[1 + n_labels :] &= self.known.labels[top]
        return allowed

    def apply(self, action: int) -> None:
        """Take an allowed action."""
        move = int(self.action_set.move_of[action])
        # Copied, since a copy of this constraint may go on from the same ones.
        self._configurations = [
            copied(configuration)
            for configuration in self._configurations
            if configuration.allowed()[move]
        ]
        for configuration in self._configurations:
            configuration.apply(move)
