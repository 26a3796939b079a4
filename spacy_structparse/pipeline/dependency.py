"""The base of the dependency parsers: gold arcs, labels and annotation.

A parser adds how gold sentences become its model's batches, and how its model's output becomes
heads and labels.
"""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model

from ..extensions import clear_stored
from ..extensions.confidence import ARC_NAMES, set_arc_confidence
from ..extensions.noun_chunks import use_noun_chunks
from ..search_results import ScoredArcs
from ..transitions.dependency.arc_standard import ROOT_LABEL
from .gold_dependencies import (
    UNKNOWN_HEAD,
    GoldSentence,
    gold_sentences,
    is_root_label,
    projectivized,
    tree_problem,
)
from .k_best import ScoredDependencies, distinct_trees, find_k_best
from .known_arcs import given_arcs, not_kept, with_known_arcs
from .long_sentences import join_roots
from .sentence_pipe import SentencePipe
from .sentences import Sentence, attach_spaces, token_rows, word_counts

SPACE_LABEL = "dep"
ALL_LABELS = "Give the labels to learn in [initialize.components.NAME] labels."
ALTERNATIVES = "Choose a parse of pipe.k_best(doc)."
"""The remedies for the removed settings ``min_label_freq`` and ``unique_labels``."""
JOINING_LABEL = "dep"  # of the roots of parts of a long sentence


class DependencyParse(NamedTuple):
    """The parse of a Doc.

    Attributes:
        heads: (len(doc),) heads, relative to the token.
        labels: (len(doc),) hashes of labels.
        confidence: (len(doc), 2) of heads, and of heads and labels, NaN where there is none; None
            where it was not asked for.
    """

    heads: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray | None = None


Parses = list[DependencyParse]


class DependencyPipe(SentencePipe):
    """Base of the dependency parsers.

    They keep ``token._.known_head`` and ``token._.known_dep``.

    Args:
        settings: See :class:`~spacy_structparse.pipeline.sentence_pipe.SentencePipe`.
    """

    calibrated = ("heads", "labels")
    is_projective = True
    """True if trees are projective before lifted arcs are put back to their heads."""

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        self._added_labels: list[str] = []
        self._unknown_labels: set[str] = set()
        self.store_labels()

    # --- labels -------------------------------------------------------------------------------

    @property
    def bare_labels(self) -> tuple[str, ...]:
        """The labels without the heads that lifted arcs name."""
        return tuple(nonproj.decompose(label)[0] for label in self.labels)

    def add_label(self, label: str) -> int:
        """Add a label, before the model is initialized.

        Returns:
            1 if the label is new, else 0.

        Raises:
            ValueError: The model is initialized.
        """
        if label in self.labels or is_root_label(label):
            return 0
        if self._shim.is_built:
            raise ValueError(
                f"[{self.name}] label '{label}' cannot be added: the model is initialized; give "
                "all labels in nlp.initialize() or [initialize.components]"
            )
        self.cfg["labels"].append(label)
        self._added_labels.append(label)
        self.vocab.strings.add(label)
        return 1

    def store_labels(self) -> None:
        """Add labels to the string store: Docs are annotated by hash, in any Vocab.

        Docs get noun chunks by these labels, too.
        """
        for label in (ROOT_LABEL, SPACE_LABEL, *self.labels):
            self.vocab.strings.add(label)
        use_noun_chunks(self.vocab, self.labels)

    # --- training -----------------------------------------------------------------------------

    def gold_sentences(self, examples: list[Example]) -> list[GoldSentence]:
        sentences = [gold for gold in gold_sentences(examples) if max(gold.heads) >= 0]
        labels = {label for sentence in sentences for label in sentence.arc_labels if label}
        unknown = sorted(labels.difference(self._unknown_labels, self.labels))
        if unknown:
            self._unknown_labels.update(unknown)
            warnings.warn(
                f"[{self.name}] does not have the gold labels {', '.join(unknown)}. It learns "
                "their heads only; for the labels, train it from scratch",
                stacklevel=2,
            )
        return sentences

    def choose_labels(
        self, get_examples: Callable[[], Iterable[Example]], labels: list[str] | None
    ) -> list[str]:
        wanted = self._read_labels(get_examples) if labels is None else labels
        added = self._added_labels if self._shim.is_built else self.cfg["labels"]
        chosen = [label for label in dict.fromkeys([*added, *wanted]) if not is_root_label(label)]
        if not chosen:
            raise ValueError(f"[{self.name}] there are no labels: no arc is between two words")
        return chosen

    def _read_labels(self, get_examples: Callable[[], Iterable[Example]]) -> list[str]:
        """The labels of the training data, sorted."""
        labels: set[str] = set()
        n_heads = 0
        for examples in minibatch(get_examples(), size=256):
            for gold in gold_sentences(examples):
                n_heads += len(gold.heads) - gold.heads.count(-1)
                if tree_problem(gold.heads) is None:
                    labels.update((projectivized(gold) if self.is_projective else gold).arc_labels)
        if not n_heads:
            problem = "the training data has no dependencies (was it converted from trees alone?)"
            raise ValueError(f"[{self.name}] {problem}")
        return sorted(labels)

    # --- parsing ------------------------------------------------------------------------------

    def with_known(self, docs: list[Doc], sentences: list[Sentence]) -> list[Sentence]:
        if any(doc.user_data for doc in docs):  # what is known is stored there
            return with_known_arcs(self, docs, sentences)
        return sentences

    def predict(self, docs: Iterable[Doc]) -> Parses:
        """Find heads and labels of every Doc, and how sure they are if that is asked for."""
        docs = list(docs)
        heads, labels = self._unparsed(sum(map(len, docs)))
        confidence = np.full((len(heads), 2), np.nan) if self.confidence else None
        strings = [self.vocab.strings[label] for label in (*self.labels, ROOT_LABEL)]
        label_hashes = np.array(strings, dtype=np.uint64)
        parts: list[Sentence] = []
        for batch, search in self.outputs_of(docs):
            of_arcs = search.confidence() if confidence is not None else None
            arcs = search.best()
            given = np.zeros((len(arcs.heads), 2), dtype=bool)
            if any(sentence.known is not None for sentence in batch):
                given = given_arcs(self, docs, batch, arcs)
            tokens, n_words = token_rows(batch), word_counts(batch)
            starts = np.repeat(np.cumsum(n_words) - n_words, n_words)
            heads[tokens], labels[tokens] = tokens[starts + arcs.heads], label_hashes[arcs.labels]
            if confidence is not None and of_arcs is not None:
                confidence[tokens] = self._calibrated(of_arcs, given)
            parts += [sentence for sentence in batch if sentence.part_of is not None]
        if parts:
            joined = join_roots(parts, heads)
            labels[joined] = self.vocab.strings[JOINING_LABEL]
            if confidence is not None:
                confidence[joined] = np.nan
        return self._by_doc(docs, heads, labels, confidence)

    def _unparsed(self, n_tokens: int) -> tuple[np.ndarray, np.ndarray]:
        """Heads and labels of tokens that have no arcs yet."""
        space_label = self.vocab.strings[SPACE_LABEL]
        return np.full(n_tokens, UNKNOWN_HEAD), np.full(n_tokens, space_label, dtype=np.uint64)

    def _by_doc(
        self,
        docs: Sequence[Doc],
        heads: np.ndarray,
        labels: np.ndarray,
        confidence: np.ndarray | None = None,
    ) -> Parses:
        """Cut arcs among the tokens of all Docs into those of each Doc, where tokens without any
        get heads."""
        has_spaces = bool((heads == UNKNOWN_HEAD).any())
        parses = []
        start = 0
        for doc in docs:
            part, tokens = slice(start, start + len(doc)), np.arange(len(doc))
            of_doc = heads[part] - start
            if has_spaces and len(doc):
                parsed = of_doc >= 0
                attach_spaces(of_doc, parsed)
                labels[part][(of_doc == tokens) & ~parsed] = self.vocab.strings[ROOT_LABEL]
            of_arcs = None if confidence is None else confidence[part]
            parses.append(DependencyParse(of_doc - tokens, labels[part], of_arcs))
            start = part.stop
        return parses

    def _calibrated(self, confidence: np.ndarray, given: np.ndarray) -> np.ndarray:
        """Calibrated confidence of heads, and of heads and labels, which is never larger; 1 of what
        was given."""
        calibration = self.calibration
        heads = calibration["heads"](confidence[:, 0])
        both = np.minimum(heads, calibration["labels"](confidence[:, 1]))
        # Where a head is given, the label is as sure as it is for this head.
        both[given[:, 0]] /= np.maximum(heads[given[:, 0]], np.finfo(float).tiny)
        heads = np.where(given[:, 0], 1.0, heads)
        return np.stack([heads, np.where(given[:, 1], heads, np.minimum(heads, both))], 1)

    def set_annotations(self, docs: Iterable[Doc], parses: Parses) -> None:
        """Write heads, labels, sentence starts and confidence; put non-projective arcs back."""
        decorated = {
            self.vocab.strings[label] for label in self.labels if nonproj.is_decorated(label)
        }
        for doc, (heads, deps, confidence) in zip(docs, parses, strict=True):
            if not len(doc):
                continue
            if doc.vocab is not self.vocab:  # the parser was taken into another pipeline
                use_noun_chunks(doc.vocab, self.labels)
                doc.noun_chunks_iterator = doc.vocab.get_noun_chunks  # type: ignore[attr-defined]
            if confidence is not None:
                set_arc_confidence(doc, confidence)
            elif doc.user_data:
                clear_stored(doc, ARC_NAMES)
            columns: Any = np.stack([heads.astype(np.uint64), deps], 1)
            doc.from_array(["HEAD", "DEP"], columns)
            if decorated and not decorated.isdisjoint(deps.tolist()):
                nonproj.deprojectivize(doc)

    # --- the k best parses --------------------------------------------------------------------

    k_best = find_k_best

    def scored_parses(
        self, doc: Doc, sentence: Sentence, hypotheses: ScoredArcs, k: int
    ) -> list[ScoredDependencies]:
        trees = distinct_trees(hypotheses, k, self.labels, sentence.known)
        if not len(trees.heads):
            raise not_kept(self, doc, sentence)
        names = (*self.bare_labels, ROOT_LABEL)
        words = sentence.tokens
        return [
            ScoredDependencies(
                tuple(words.tolist()),
                tuple(words[heads].tolist()),
                tuple(names[label] for label in labels.tolist()),
                log_probability,
            )
            for heads, labels, log_probability in zip(
                trees.heads, trees.labels, trees.log_probs.tolist(), strict=True
            )
        ]

    def set_k_best(self, doc: Doc, parses: Sequence[ScoredDependencies]) -> None:
        """Write one of the parses of each sentence to a Doc, as parsing does."""
        heads, labels = self._unparsed(len(doc))
        for parse in parses:
            tokens = list(parse.tokens)
            heads[tokens] = parse.heads
            labels[tokens] = [self.vocab.strings[label] for label in parse.labels]
        self.set_annotations([doc], self._by_doc([doc], heads, labels))
