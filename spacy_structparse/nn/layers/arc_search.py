"""The search for arcs by arc-standard transitions, of whatever parser scores them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from torch import Tensor

from ...constraints import ConstrainedRows
from ...search_results import Arcs, ScoredArcs, Sentences
from ...transitions.dependency.arc_confidence import arc_confidence
from ...transitions.dependency.arc_standard import arcs_from_actions
from ...transitions.dependency.known_arcs import ArcConstraint
from ..fast.device import LazyAnswers
from .beam import Beam


class ArcStandardSearch(LazyAnswers, ABC):
    """A :class:`~spacy_structparse.search_results.Search` for the arcs of sentences.

    Args:
        parser: The parser, in evaluation mode.
        tokens: (N, n_input) sentences end to end, longest first.
        sentences: The sentences. Their constraints are
            :class:`~spacy_structparse.transitions.dependency.known_arcs.KnownArcs`.
        settings: The settings of the parser, of which ``beam_width`` is read; none is 1, greedy.
    """

    def __init__(
        self, parser: Any, tokens: Tensor, sentences: Sentences, settings: Mapping[str, Any]
    ) -> None:
        super().__init__()
        self.parser, self.tokens = parser, tokens
        self.action_set = parser.action_set
        self.n_words = sentences.n_words
        self.n_moves = 2 * self.n_words - 1
        self._known = sentences.constraints
        self._beam_width = settings.get("beam_width", 1)

    @abstractmethod
    def run(self, beam: Beam) -> Beam:
        """Choose all actions of a beam, and return it."""

    def _beam_of(self, width: int, keep_scores: bool = False) -> Beam:
        constraints = None
        if self._known is not None:
            known = [arcs and ArcConstraint(arcs, self.action_set) for arcs in self._known]
            constraints = ConstrainedRows(known, width)
        return Beam(self.n_moves, width, constraints, keep_scores=keep_scores)

    @cached_property
    def _beam(self) -> Beam:
        return self.run(self._beam_of(self._beam_width, keep_scores=True))

    def best(self) -> Arcs:
        """The arcs of the best derivations."""
        with self.predicting():
            actions = self._beam.best()
        return Arcs(*arcs_from_actions(actions.T, self.n_words, self.action_set))

    def confidence(self) -> np.ndarray:
        """Return the confidence of these arcs, see :func:`~.arc_confidence.arc_confidence`."""
        with self.predicting():
            actions, scores = self._beam.best().T, self._beam.best_scores()
        return arc_confidence(actions, scores, self.n_words, self.action_set)

    def k_best(self, k: int, beam_width: int) -> list[ScoredArcs]:
        """The arcs of all hypotheses in which a beam ends, some of which may be equal."""
        with self.predicting():
            hypotheses = self.run(self._beam_of(max(beam_width, 2))).hypotheses()
        trees = []
        for n, (actions, log_probs) in zip(self.n_words.tolist(), hypotheses, strict=True):
            lengths = np.full(len(actions), n)
            heads, labels = arcs_from_actions(np.stack(actions, 1), lengths, self.action_set)
            trees.append(ScoredArcs(heads.reshape(-1, n), labels.reshape(-1, n), log_probs))
        return trees
