"""Known arcs of sentences: reading them, with errors that name conflicts, and keeping them."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc

from ..constraints import ConstraintError
from ..extensions.known_arcs import has_known_arc, has_known_arcs, known_heads_and_labels
from ..transitions.dependency.arc_standard import ROOT_LABEL, OracleError
from ..transitions.dependency.known_arcs import ArcQuery, KnownArcs, configurations
from ..transitions.dependency.partial_oracle import UNKNOWN, check_heads, check_known_arcs
from ..trees.span_group import excerpt
from .gold_dependencies import is_root_label
from .long_sentences import LongSentences
from .sentence_pipe import word_counts
from .sentences import Sentence


class ArcReader:
    """Reads what is known of the arcs of sentences.

    Args:
        name: The name of the component, for errors.
        docs: The Docs of a call.
        labels: The labels of the parser, without the root's.
        unique_labels: Labels of which a head has at most one dependent.
        single_root: Exactly one word of a sentence is its root.
        is_projective: Trees are projective.

    Raises:
        ConstraintError: A unique label is not one of the parser's, something is known of white
            space, or a known head is not in its Doc.
    """

    def __init__(
        self,
        name: str,
        docs: Sequence[Doc],
        labels: Sequence[str],
        unique_labels: Sequence[str] = (),
        single_root: bool = True,
        is_projective: bool = False,
    ) -> None:
        self._name = name
        self._docs = docs
        try:
            self._known = [known_heads_and_labels(doc) for doc in docs]
        except ValueError as error:
            raise ConstraintError(f"[{name}] {error}") from error
        for doc, known in zip(docs, self._known, strict=True):
            for token in itertools.chain(*known):
                if doc[token].is_space:
                    problem = f"{_named(doc, token)} is white space, which has no arc"
                    raise self._conflict(doc, problem)
        self._single_root = single_root
        self._is_projective = is_projective
        self._labels = np.array([nonproj.decompose(label)[0] for label in labels], dtype=object)
        self._is_lifted = np.array([nonproj.is_decorated(label) for label in labels], dtype=bool)
        self._unique = np.isin(self._labels, list(unique_labels))
        for label in unique_labels:
            self._check_label(label, "unique_labels has")
        self._found: dict[tuple[int, int], KnownArcs | None] = {}
        # A lifted arc goes to another head in the end, which may have its label already.
        self._any_label = ~(self._unique & self._is_lifted)
        self._unique &= ~self._is_lifted

    def of_batch(self, batch: Sequence[Sentence]) -> list[KnownArcs | None] | None:
        """What is known of each sentence; None where nothing is known of any.

        Raises:
            ConstraintError: What is known conflicts with each other, or with the sentence.
        """
        if not self._unique.any() and not any(any(self._known[s.doc]) for s in batch):
            return None
        known = [self.of_sentence(sentence) for sentence in batch]
        return known if any(one is not None for one in known) else None

    def of_sentence(self, sentence: Sentence) -> KnownArcs | None:
        """What is known of a sentence; None: nothing. Raises ConstraintError as above."""
        place = sentence.doc, int(sentence.tokens[0])
        if place not in self._found:
            self._found[place] = self._read(sentence)
        return self._found[place]

    def _read(self, sentence: Sentence) -> KnownArcs | None:
        known_heads, known_labels = self._known[sentence.doc]
        tokens = sentence.tokens.tolist()
        place = {token: i for i, token in enumerate(tokens)}
        own = {*known_heads, *known_labels} & set(tokens)
        if not own and not self._unique.any():
            return None
        doc = self._docs[sentence.doc]
        n = len(tokens)
        heads = np.full(n, UNKNOWN, dtype=np.int64)
        labels = np.tile(self._any_label, (n, 1))
        may_be_root = np.ones(n, dtype=bool)
        for token in sorted(own):
            word, head, label = place[token], known_heads.get(token), known_labels.get(token)
            if head is not None:
                if head not in place:
                    raise self._conflict(
                        doc,
                        f"the head of {_named(doc, token)} is {_named(doc, head)}, which is no "
                        "word of its sentence",
                    )
                heads[word] = place[head]
                labels[word] &= ~self._is_lifted
            if label is None:
                continue
            is_root = is_root_label(label)
            if is_root and head is None:
                heads[word] = word
            elif is_root != (heads[word] == word) and head is not None:
                raise self._conflict(
                    doc,
                    f"{_named(doc, token)} has the label {label!r} and the head "
                    f"{_named(doc, head)}: a root is its own head, with the label {ROOT_LABEL!r}",
                )
            if not is_root:
                self._check_label(label, f"known_dep of {_named(doc, token)} is")
                labels[word] &= self._labels == label
                may_be_root[word] = False
        found = KnownArcs(heads, labels, may_be_root, self._unique)
        self._check(doc, sentence, found)
        return found

    def _check(self, doc: Doc, sentence: Sentence, known: KnownArcs) -> None:
        words = np.arange(len(known.heads))
        try:
            if self._is_projective:
                check_known_arcs(known.heads.tolist())
            else:
                check_heads(known.heads.tolist(), self._single_root)
        except OracleError as error:
            raise self._conflict(doc, str(error), sentence) from error
        if not (known.heads == words).any() and not known.may_be_root[known.heads < 0].any():
            raise self._conflict(
                doc, "every word has another head than ROOT, or a label that no root has", sentence
            )
        if self._is_projective:
            try:
                next(configurations(known))
            except OracleError as error:
                raise self._conflict(doc, str(error), sentence) from error
        of_head: dict[tuple[int, int], int] = {}
        for word, label in known.bound_words():
            head = int(known.heads[word])
            other = of_head.setdefault((head, label), word) if head >= 0 else word
            if other != word:
                raise self._conflict(
                    doc,
                    f"words {other} and {word} are both {self._labels[label]!r} of word {head}, "
                    "and unique_labels allows one",
                    sentence,
                )

    def _check_label(self, label: str, what: str) -> None:
        if label not in self._labels.tolist():
            known = ", ".join(sorted({str(one) for one in self._labels}))
            raise ConstraintError(
                f"[{self._name}] {what} {label!r}, which is no label of the parser: {known}"
            )

    def check_kept(self, sentence: Sentence, heads: np.ndarray, labels: np.ndarray) -> None:
        """Raise ConstraintError if a parse of a sentence does not keep what is known.

        Args:
            sentence: The sentence.
            heads: (n,) heads in it.
            labels: (n,) indices of labels.
        """
        known = self.of_sentence(sentence)
        if known is not None and not known.is_kept(heads, labels):
            raise self.none_kept(sentence)

    def none_kept(self, sentence: Sentence) -> ConstraintError:
        """The error that no parse of a sentence was found that keeps what is known."""
        first, last = sentence.tokens[[0, -1]].tolist()
        text = excerpt(self._docs[sentence.doc][first : last + 1].text)
        return ConstraintError(
            f"[{self._name}] no parse was found that keeps what is known of the sentence {text}. "
            "Give their heads too to the words with known labels"
        )

    def _conflict(
        self, doc: Doc, problem: str, sentence: Sentence | None = None
    ) -> ConstraintError:
        """An error that names the text, of the sentence where words are counted from its first."""
        if sentence is None:
            return ConstraintError(
                f"[{self._name}] what is known of {excerpt(doc.text)} conflicts: {problem}"
            )
        first, last = sentence.tokens[[0, -1]].tolist()
        text = excerpt(doc[first : last + 1].text)
        return ConstraintError(
            f"[{self._name}] what is known of the sentence {text} conflicts "
            f"(words are counted from 0): {problem}"
        )


def _named(doc: Doc, token: int) -> str:
    return f"{doc[token].text!r} (token {token})"


def known_shares(known: KnownArcs) -> np.ndarray:
    """(n, 2) bool: whether the head of each word is known, and whether its label is."""
    has_head = known.heads != UNKNOWN
    is_root = known.heads == np.arange(len(known.heads))
    return np.stack([has_head, is_root | ~known.may_be_root], 1)


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
