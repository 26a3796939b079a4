"""Dependency parsers with arc-standard transitions.

Gold trees become derivations, and actions become arcs. Non-projective arcs are lifted for training
and put back after parsing.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import ActionError
from ..search_results import Hypotheses, KBestHeads
from ..transitions.dependency.arc_standard import (
    LEFT,
    RIGHT,
    ROOT_LABEL,
    SHIFT,
    ActionSet,
    Derivation,
    ProjectiveTree,
    arcs_from_actions,
    derive,
    oracle,
)
from ..transitions.dependency.known_arcs import KnownArcs
from ..transitions.dependency.partial_oracle import PartialOracle, partial_oracle
from .dependency import DependencyPipe
from .gold_dependencies import GoldSentence, projectivized, tree_problem
from .k_best import keeping, merged
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

    def read_output(
        self, output: torch.Tensor, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        return arcs_from_actions(output.cpu().numpy(), lengths, self.action_set)

    def best_heads(
        self,
        output: Hypotheses,
        n_words: np.ndarray,
        k: int,
        known: Sequence[KnownArcs | None],
    ) -> Iterator[KBestHeads]:
        for actions, log_probs, n, of_one in zip(
            output.actions, output.log_probs, n_words.tolist(), known, strict=True
        ):
            hypotheses = np.stack(actions, 1)
            lengths = np.full(len(actions), n)
            heads, labels = arcs_from_actions(hypotheses, lengths, self.action_set)
            heads, labels = put_back(heads.reshape(-1, n), labels.reshape(-1, n), self.action_set)
            kept = keeping(KBestHeads(heads, labels, log_probs), of_one)
            best = merged([tuple(one) for one in kept.heads.tolist()], kept.log_probs, k)
            rows = [row for row, _ in best]
            totals = np.array([total for _, total in best])
            yield KBestHeads(kept.heads[rows], kept.labels[rows], totals)

    def training_batch(self, gold: list[GoldSentence]) -> tuple[list[Sentence], object]:
        sentences: list[Sentence] = []
        found: list[tuple[Any, ...]] = []
        for one in gold:
            problem = tree_problem(one.heads)
            if problem:
                self.skip(problem, one.sentence)
                continue
            lifted = projectivized(one)
            heads = np.array(lifted.heads)
            labels = np.array([self._label(label) for label in lifted.labels])
            try:
                partial = None if lifted.is_complete else partial_oracle(lifted.heads)
                moves = oracle(lifted.heads) if partial is None else partial.moves.tolist()
            except ActionError as error:
                self.skip(f"cannot be derived ({error})", one.sentence)
                continue
            derivation = derive(moves)
            chosen, targets = self._targets(derivation, partial, heads, labels)
            sentences.append(one.sentence)
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


def put_back(
    heads: np.ndarray, labels: np.ndarray, action_set: ActionSet
) -> tuple[np.ndarray, np.ndarray]:
    """Put lifted arcs back to their heads, as spaCy does in a Doc.

    Args:
        heads: (K, n) heads of K parses of a sentence, the root its own.
        labels: (K, n) indices of labels, some of which name the label of the head that the arc was
            lifted from; -1 at roots.
        action_set: The labels.

    Returns:
        The same with every arc at its own head. A label that is not among those of the actions
        without that name keeps it.
    """
    names = (*action_set.labels, ROOT_LABEL)
    lifted = np.array([nonproj.is_decorated(name) for name in names])
    heads, labels = heads.copy(), labels.copy()
    for row in np.flatnonzero(lifted[labels].any(1)).tolist():
        words = ["_"] * heads.shape[1]
        deps = [names[label] for label in labels[row].tolist()]
        doc = Doc(Vocab(), words=words, heads=heads[row].tolist(), deps=deps)
        nonproj.deprojectivize(doc)
        heads[row] = [token.head.i for token in doc]
        plain = [action_set.label_index(token.dep_) for token in doc]
        labels[row] = np.where(np.array(plain) >= 0, plain, labels[row])
    return heads, labels
