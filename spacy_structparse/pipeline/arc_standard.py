"""Dependency parsers with arc-standard transitions.

Gold trees become derivations, and actions become arcs. Non-projective arcs are lifted for training
and put back after parsing.
"""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

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
from .sentences import Sentence


class ArcStandardPipe(DependencyPipe):
    """Base of the parsers with arc-standard transitions."""

    @abstractmethod
    def action_batch(
        self,
        derivations: list[Derivation],
        actions: list[np.ndarray],
        allowed: list[np.ndarray | None],
        trees: list[ProjectiveTree | None],
    ) -> Any:
        """Build the batch of a model for B gold sentences, longest first.

        Args:
            derivations: Their moves.
            actions: (2n - 1,) the gold actions of each sentence.
            allowed: (2n - 1, n_actions) bool for a sentence in which several actions are right in
                some state, None for the others.
            trees: The gold trees; None where a head is unknown.
        """

    def prepare(self) -> None:
        self.action_set = ActionSet(self.labels)

    def gold_labels(self, gold: GoldSentence) -> Iterable[str]:
        return projectivized(gold).arc_labels

    def training_batch(self, gold: list[GoldSentence]) -> tuple[list[Sentence], object]:
        sentences: list[Sentence] = []
        found: list[tuple[Any, ...]] = []
        for gold_sentence in gold:
            problem = tree_problem(gold_sentence.heads)
            if problem:
                self.skip(problem, gold_sentence.sentence)
                continue
            lifted = projectivized(gold_sentence)
            heads = np.array(lifted.heads)
            labels = np.array([self._label(label) for label in lifted.labels])
            try:
                partial = None if lifted.is_complete else partial_oracle(lifted.heads)
                moves = oracle(lifted.heads) if partial is None else partial.moves.tolist()
            except ActionError as error:
                self.skip(f"cannot be derived ({error})", gold_sentence.sentence)
                continue
            derivation = derive(moves)
            chosen, targets = self._targets(derivation, partial, heads, labels)
            sentences.append(gold_sentence.sentence)
            tree = ProjectiveTree(heads, labels) if partial is None else None
            found.append((derivation, chosen, targets, tree))
        return sentences, self.action_batch(*map(list, zip(*found, strict=True))) if found else None

    def _label(self, label: str) -> int:
        """The index of a label. An unknown label of a lifted arc falls back to its own part."""
        index = self.action_set.label_index(label)
        if index < 0 and "||" in label:
            index = self.action_set.label_index(label.partition("||")[0])
        return index

    def _targets(
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
