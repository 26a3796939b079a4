"""Dependency parsers that keep what is known of the arcs of a Doc."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..extensions.known_arcs import has_known_arc, has_known_arcs
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

    def is_constrained(self, sentence: Sentence, doc: Doc) -> bool:
        return any(has_known_arc(doc[token]) for token in sentence.tokens.tolist())

    def arc_reader(self, docs: Sequence[Doc]) -> ArcReader | None:
        """What is known of the arcs of Docs; None: nothing."""
        if not self.unique_labels and not any(map(has_known_arcs, docs)):
            return None
        single_root = self.is_projective or self._shim.settings["single_root"]
        return ArcReader(
            self.name, docs, self.labels, self.unique_labels, single_root, self.is_projective
        )

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
            if known is not None:
                given[part] = known_shares(known)
                reader.check_kept(sentence, heads[part], labels[part])
        return given


def arc_query(reader: ArcReader | None, batch: list[Sentence]) -> ArcQuery:
    """The sentences of a batch, and what is known of them."""
    return ArcQuery(word_counts(batch), None if reader is None else reader.of_batch(batch))
