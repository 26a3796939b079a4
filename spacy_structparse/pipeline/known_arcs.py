"""Known arcs of sentences: reading them, with errors that name conflicts, and keeping them."""

import itertools
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc

from ..errors import ActionError, ConstraintError
from ..extensions.known_arcs import known_heads_and_labels
from ..search_results import Arcs, Sentences
from ..transitions.dependency.arc_standard import ROOT_LABEL
from ..transitions.dependency.known_arcs import KnownArcs, configurations
from ..transitions.dependency.partial_oracle import UNKNOWN, check_heads, check_known_arcs
from ..trees.span_group import excerpt
from .gold_dependencies import is_root_label
from .sentences import NothingKnown, Sentence, word_counts


class ArcReader(NothingKnown):
    """Reads what is known of the arcs of sentences.

    Args:
        name: The name of the component, for errors.
        docs: The Docs of a call.
        labels: The labels of the parser, without the root's.
        single_root: Exactly one word of a sentence is its root.
        is_projective: Trees are projective.

    Raises:
        ConstraintError: Something is known of white space, or a known head is not in its Doc.
    """

    def __init__(
        self,
        name: str,
        docs: Sequence[Doc],
        labels: Sequence[str],
        single_root: bool,
        is_projective: bool,
    ) -> None:
        super().__init__(docs)
        self._name = name
        self._all_labels = labels
        self._single_root = single_root
        self._is_projective = is_projective
        self._found: dict[tuple[int, int], KnownArcs | None] = {}
        try:
            self._known = [known_heads_and_labels(doc) for doc in docs]
        except ValueError as error:
            raise ConstraintError(f"[{name}] {error}") from error
        self._is_empty = not any(map(any, self._known))
        for doc, known in zip(docs, self._known, strict=True):
            for token in itertools.chain(*known):
                if doc[token].is_space:
                    raise self._error(doc, f"{_named(doc, token)} is white space, without an arc")

    @cached_property
    def _labels(self) -> np.ndarray:
        """The labels, without the heads that lifted arcs name."""
        return np.array([nonproj.decompose(label)[0] for label in self._all_labels], dtype=object)

    @cached_property
    def _is_lifted(self) -> np.ndarray:
        return np.array([nonproj.is_decorated(label) for label in self._all_labels], dtype=bool)

    def sentences(self, batch: Sequence[Sentence]) -> Sentences:
        """The sentences of a batch for the model, with what is known of each.

        Raises:
            ConstraintError: What is known conflicts with each other, or with the sentence.
        """
        known = [] if self._is_empty else [self.of_sentence(sentence) for sentence in batch]
        constraints = known if any(arcs is not None for arcs in known) else None
        return Sentences(word_counts(batch), constraints)

    def of_sentence(self, sentence: Sentence) -> KnownArcs | None:
        """Return the known arcs of a sentence; None if there are none. Raises as above."""
        place = sentence.doc, int(sentence.tokens[0])
        if place not in self._found:
            self._found[place] = self._read(sentence)
        return self._found[place]

    def _read(self, sentence: Sentence) -> KnownArcs | None:
        known_heads, known_labels = self._known[sentence.doc]
        tokens = sentence.tokens.tolist()
        place = {token: i for i, token in enumerate(tokens)}
        own = {*known_heads, *known_labels} & set(tokens)
        if not own:
            return None
        doc = self._docs[sentence.doc]
        n = len(tokens)
        heads = np.full(n, UNKNOWN, dtype=np.int64)
        labels = np.ones((n, len(self._labels)), dtype=bool)
        may_be_root = np.ones(n, dtype=bool)
        for token in sorted(own):
            word, head, label = place[token], known_heads.get(token), known_labels.get(token)
            named = _named(doc, token)
            if head is not None:
                if head not in place:
                    problem = f"{_named(doc, head)}, which is no word of its sentence"
                    raise self._error(doc, f"the head of {named} is {problem}")
                heads[word] = place[head]
                labels[word] &= ~self._is_lifted
            if label is None:
                continue
            is_root = is_root_label(label)
            if is_root and head is None:
                heads[word] = word
            elif is_root != (heads[word] == word) and head is not None:
                problem = f"{label!r} and the head {_named(doc, head)}: a root is its own head"
                raise self._error(doc, f"{named} has the label {problem}, labelled {ROOT_LABEL!r}")
            if not is_root:
                if label not in self._labels.tolist():
                    others = ", ".join(sorted(set(map(str, self._labels))))
                    problem = f"{label!r}, which is no label of the parser: {others}"
                    raise self._error(doc, f"known_dep of {named} is {problem}")
                labels[word] &= self._labels == label
                may_be_root[word] = False
        found = KnownArcs(heads, labels, may_be_root)
        try:
            if self._is_projective:
                check_known_arcs(heads.tolist())
            else:
                check_heads(heads.tolist(), self._single_root)
            if not (heads == np.arange(n)).any() and not may_be_root[heads < 0].any():
                raise ActionError("no word can be the root, by its known head or label")
            if self._is_projective:
                next(configurations(found))
        except ActionError as error:
            raise self._error(doc, str(error), sentence) from error
        return found

    def given(self, batch: Sequence[Sentence], arcs: Arcs) -> np.ndarray:
        """Find which parts of the parses of sentences were known.

        Args:
            batch: The sentences.
            arcs: Their arcs.

        Returns:
            (N, 2) bool: the head of each word was known, and its label.

        Raises:
            ConstraintError: A parse does not keep what is known.
        """
        heads, labels = arcs
        given = np.zeros((len(heads), 2), dtype=bool)
        start = 0
        for sentence in () if self._is_empty else batch:
            part = slice(start, start + len(sentence.tokens))
            start = part.stop
            known = self.of_sentence(sentence)
            if known is None:
                continue
            if not known.is_kept(heads[part], labels[part]):
                raise self.none_kept(sentence)
            is_root = known.heads == np.arange(len(known.heads))
            given[part, 0] = known.heads != UNKNOWN
            given[part, 1] = is_root | ~known.may_be_root
        return given

    def none_kept(self, sentence: Sentence) -> ConstraintError:
        """The error that no parse of a sentence was found that keeps what is known."""
        return self._error(self._docs[sentence.doc], "no parse was found that keeps it", sentence)

    def _error(self, doc: Doc, problem: str, sentence: Sentence | None = None) -> ConstraintError:
        """Return an error that names the text: that of a sentence whose words it counts."""
        where, counted = excerpt(doc.text), ""
        if sentence is not None:
            first, last = sentence.tokens[[0, -1]].tolist()
            where = f"the sentence {excerpt(doc[first : last + 1].text)}"
            counted = " (words are counted from 0)"
        return ConstraintError(
            f"[{self._name}] what is known of {where} conflicts{counted}: {problem}"
        )


def _named(doc: Doc, token: int) -> str:
    return f"{doc[token].text!r} (token {token})"
