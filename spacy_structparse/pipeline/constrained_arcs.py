"""Dependency parsers that keep what is known of the arcs of a Doc."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..constraints import ConstraintError
from ..extensions.known_arcs import has_known_arcs
from ..transitions.dependency.known_arcs import ArcQuery
from .known_arcs import ArcReader, known_shares
from .long_sentences import LongSentences
from .sentence_pipe import word_counts
from .sentences import Sentence


class ConstrainedArcs(LongSentences):
    """Mixin of dependency parsers that keep ``token._.known_head`` and ``token._.known_dep``.

    Args:
        unique_labels: Labels of which a head gets at most one dependent, such as ``["nsubj"]``. Can
            be changed after loading.
    """

    def __init__(self, *args: Any, unique_labels: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.unique_labels = unique_labels

    is_projective = True
    """Whether trees are projective, but for arcs that are put back to their heads in the end."""

    @property
    def unique_labels(self) -> tuple[str, ...]:
        """Labels of which a head gets at most one dependent. Can be changed after loading."""
        return self._unique_labels

    @unique_labels.setter
    def unique_labels(self, labels: Sequence[str]) -> None:
        if isinstance(labels, str) or not all(isinstance(label, str) for label in labels):
            raise ValueError(
                f"[{self.name}] unique_labels is {labels!r}, it must be a list of labels"
            )
        self._unique_labels = tuple(labels)

    def parts(self, sentence: Sentence, doc: Doc) -> list[Sentence]:
        """The parts that a sentence is parsed in: itself where some of its arcs are known."""
        is_long = self.max_sentence and len(sentence.tokens) > self.max_sentence
        if is_long and has_known_arcs(doc):
            return [sentence]
        return super().parts(sentence, doc)

    def arc_reader(self, docs: Sequence[Doc]) -> ArcReader:
        single_root = self.is_projective or self._shim.settings["single_root"]
        try:
            return ArcReader(docs, self.labels, self.unique_labels, single_root, self.is_projective)
        except ConstraintError as error:
            raise ConstraintError(f"[{self.name}] {error}") from error

    def arc_query(self, reader: ArcReader, batch: list[Sentence]) -> ArcQuery:
        """The sentences of a batch, and what is known of them."""
        try:
            return ArcQuery(word_counts(batch), reader.of_batch(batch))
        except ConstraintError as error:
            raise ConstraintError(f"[{self.name}] {error}") from error

    def check_kept(
        self, reader: ArcReader, batch: list[Sentence], heads: np.ndarray, labels: np.ndarray
    ) -> np.ndarray:
        """(N, 2) bool: whether the head and the label of each word was known. Raises
        ConstraintError if a parse does not keep them."""
        given = np.zeros((len(heads), 2), dtype=bool)
        start = 0
        for sentence in batch:
            part = slice(start, start + len(sentence.tokens))
            start = part.stop
            known = reader.of_sentence(sentence)
            if known is None:
                continue
            given[part] = known_shares(known)
            try:
                reader.check_kept(sentence, heads[part], labels[part])
            except ConstraintError as error:
                raise ConstraintError(f"[{self.name}] {error}") from error
        return given
