"""Dependency parsers with arc-standard transitions.

Gold trees become derivations, and actions become arcs. Non-projective arcs are lifted for training
and put back after parsing.
"""

from typing import NamedTuple

import numpy as np

from ..errors import ActionError
from ..transitions.dependency.arc_standard import (
    LEFT,
    RIGHT,
    SHIFT,
    ActionSet,
    Derivation,
    derive,
    oracle,
)
from ..transitions.dependency.dynamic_oracle import ProjectiveTree
from ..transitions.dependency.partial_oracle import PartialOracle, partial_oracle
from .dependency import DependencyPipe
from .gold_dependencies import GoldSentence, projectivized, tree_problem


class Target(NamedTuple):
    """The gold actions of a sentence of n words.

    Attributes:
        derivation: Its moves.
        actions: (2n - 1,) the gold actions.
        allowed: (2n - 1, n_actions) bool if several actions are right in some state.
        tree: The gold tree; None where a head is unknown.
    """

    derivation: Derivation
    actions: np.ndarray
    allowed: np.ndarray | None
    tree: ProjectiveTree | None


class ArcStandardPipe(DependencyPipe):
    """Base of the parsers with arc-standard transitions."""

    def prepare(self) -> None:
        self.action_set = ActionSet(self.labels)

    def target(self, gold: GoldSentence) -> Target:
        if problem := tree_problem(gold.heads):
            raise ActionError(problem)
        lifted = projectivized(gold)
        heads = np.array(lifted.heads)
        labels = np.array([self._label(label) for label in lifted.labels])
        try:
            partial = None if lifted.is_complete else partial_oracle(lifted.heads)
            moves = oracle(lifted.heads) if partial is None else partial.moves.tolist()
        except ActionError as error:
            raise ActionError(f"cannot be derived ({error})") from error
        derivation = derive(moves)
        actions, allowed = self._actions(derivation, partial, heads, labels)
        tree = ProjectiveTree(heads, labels) if partial is None else None
        return Target(derivation, actions, allowed, tree)

    def _label(self, label: str) -> int:
        """The index of a label. An unknown label of a lifted arc falls back to its own part."""
        index = self.action_set.label_index(label)
        if index < 0 and "||" in label:
            index = self.action_set.label_index(label.partition("||")[0])
        return index

    def _actions(
        self,
        derivation: Derivation,
        partial: PartialOracle | None,
        heads: np.ndarray,
        labels: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The gold action of every state, and the right actions where some state has several.

        Where a label is unknown, every label of the arc's direction is right.
        """
        moves, label_of = derivation.moves, labels[derivation.dependents_at]
        actions = self.action_set.actions_of(moves, label_of)
        if partial is None:
            if (label_of[moves != SHIFT] >= 0).all():
                return actions, None
            return actions, self.action_set.right_actions(moves, label_of)
        top, below = derivation.stack_words()
        allowed = np.zeros((len(moves), len(self.action_set)), dtype=bool)
        for move, head, dependent in ((SHIFT, top, top), (LEFT, top, below), (RIGHT, below, top)):
            label = np.where(heads[dependent] == head, labels[dependent], -1)
            right = self.action_set.right_actions(np.full(len(top), move), label)
            allowed |= right & partial.allowed[:, move, None]
        return actions, allowed
