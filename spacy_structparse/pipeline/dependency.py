"""The base of the dependency parsers: gold arcs, labels and annotation.

A parser adds how gold sentences become its model's batches, and how its model's output becomes
heads and labels.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from spacy.language import Language
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model

from ..extensions import clear_stored
from ..extensions.confidence import ARC_NAMES, set_arc_confidence
from ..extensions.known_arcs import has_known_arc
from ..extensions.noun_chunks import use_noun_chunks
from ..search_results import KBestHeads, Wanted
from ..transitions.dependency.arc_standard import ROOT_LABEL
from ..transitions.dependency.known_arcs import ArcQuery, KnownArcs
from .gold_dependencies import GoldSentence, gold_sentences, is_root_label, tree_problem
from .k_best import ScoredDependencies, find_k_best
from .known_arcs import ArcReader
from .long_sentences import join_roots
from .sentence_pipe import SentencePipe, token_rows, word_counts
from .sentences import Sentence, attach_spaces

SPACE_LABEL = "dep"
ALL_LABELS = "Give the labels to learn in [initialize.components.NAME] labels."
ALTERNATIVES = "Choose a parse of pipe.k_best(doc)."
"""What to do instead of the removed settings ``min_label_freq`` and ``unique_labels``."""
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
    """Whether trees are projective, but for arcs that are put back to their heads in the end."""

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        self.cfg["labels"] = []
        self._added_labels: list[str] = []
        self._unknown_labels: set[str] = set()
        self.store_labels()

    # --- what a parser adds -------------------------------------------------------------------

    @abstractmethod
    def gold_labels(self, gold: GoldSentence) -> Iterable[str]:
        """The labels that the model needs for a gold sentence, without the root's."""

    @abstractmethod
    def read_output(
        self, output: torch.Tensor, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Convert the model's output for sentences end to end.

        Returns:
            (N,) heads within each sentence, and (N,) indices of labels, -1 at the root.
        """

    @abstractmethod
    def best_heads(
        self, output: Any, n_words: np.ndarray, k: int, known: Sequence[KnownArcs | None]
    ) -> Iterable[KBestHeads]:
        """Convert the model's answer to a query for the k best parses of sentences.

        Args:
            output: The answer.
            n_words: (B,) words of each sentence.
            k: The number of parses.
            known: What they must keep.
        """

    # --- labels -------------------------------------------------------------------------------

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
        sentences = gold_sentences(examples)
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

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | None = None,
    ) -> None:
        """Collect labels and the embeddings' vocabulary from all examples, and build the model.

        A model that is there already is replaced, and so are its labels, but for added ones.

        Args:
            get_examples: The training data.
            nlp: The pipeline.
            labels: The labels, instead of those of the data.

        Raises:
            ValueError: No example has a dependency.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        wanted = self._read_labels(get_examples) if labels is None else labels
        added = self._added_labels if self._shim.is_built else self.cfg["labels"]
        found = [label for label in dict.fromkeys([*added, *wanted]) if not is_root_label(label)]
        if not found:
            raise ValueError(f"[{self.name}] there are no labels: no arc is between two words")
        self.cfg["labels"] = found
        self.store_labels()
        self.build_model(get_examples)

    def _read_labels(self, get_examples: Callable[[], Iterable[Example]]) -> list[str]:
        """The labels of the training data, sorted."""
        labels: set[str] = set()
        n_heads = 0
        for examples in minibatch(get_examples(), size=256):
            for gold in gold_sentences(examples):
                n_heads += len(gold.heads) - gold.heads.count(-1)
                if tree_problem(gold.heads) is None:
                    labels.update(self.gold_labels(gold))
        if not n_heads:
            problem = "the training data has no dependencies (was it converted from trees alone?)"
            raise ValueError(f"[{self.name}] {problem}")
        return sorted(labels)

    # --- parsing ------------------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Parses:
        """Find heads and labels of every Doc, and how sure they are if that is asked for."""
        docs = list(docs)
        n_tokens = sum(len(doc) for doc in docs)
        heads = np.arange(n_tokens)
        deps = np.full(n_tokens, self.vocab.strings[SPACE_LABEL], dtype=np.uint64)
        parsed = np.zeros(n_tokens, dtype=bool)
        confidence = np.full((n_tokens, 2), np.nan) if self.confidence else None
        given = np.zeros((n_tokens, 2), dtype=bool)
        label_hashes = np.array(
            [self.vocab.strings[label] for label in (*self.labels, ROOT_LABEL)], dtype=np.uint64
        )
        parts: list[Sentence] = []
        known = self._known_arcs(docs)
        wanted: Wanted = "confidence" if self.confidence else "parse"
        for batch, output in self.outputs_of(
            docs, lambda batch: ArcQuery(word_counts(batch), known.of_batch(batch), wanted)
        ):
            parts += [sentence for sentence in batch if sentence.part_of is not None]
            rows, lengths = token_rows(batch), word_counts(batch)
            if confidence is not None:
                confidence[rows] = output.confidence.cpu().numpy()
                output = output.parse
            local, labels = self.read_output(output, lengths)
            given[rows] = known.given(batch, local, labels)
            starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
            heads[rows] = rows[starts + local]
            deps[rows] = label_hashes[labels]
            parsed[rows] = True
        joined = join_roots(parts, heads)
        deps[joined] = self.vocab.strings[JOINING_LABEL]
        if confidence is not None:
            confidence[joined] = np.nan
            confidence = self._calibrated(confidence, given)
        return self._cut_into_docs(docs, heads, deps, parsed, confidence)

    def _known_arcs(self, docs: Sequence[Doc]) -> ArcReader:
        """What is known of the arcs of Docs."""
        single_root = self.is_projective or self._shim.settings["single_root"]
        return ArcReader(self.name, docs, self.labels, single_root, self.is_projective)

    def is_constrained(self, sentence: Sentence, doc: Doc) -> bool:
        return any(has_known_arc(doc[token]) for token in sentence.tokens.tolist())

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

    def _cut_into_docs(
        self,
        docs: list[Doc],
        heads: np.ndarray,
        deps: np.ndarray,
        parsed: np.ndarray,
        confidence: np.ndarray | None,
    ) -> Parses:
        spaces = not parsed.all()
        root = self.vocab.strings[ROOT_LABEL]
        result = []
        offset = 0
        for doc in docs:
            part = slice(offset, offset + len(doc))
            doc_heads, doc_deps = heads[part] - offset, deps[part]
            if spaces and len(doc):
                attach_spaces(doc_heads, parsed[part])
                doc_deps[(doc_heads == np.arange(len(doc))) & ~parsed[part]] = root
            relative = doc_heads - np.arange(len(doc))
            sure = None if confidence is None else confidence[part]
            result.append(DependencyParse(relative, doc_deps, sure))
            offset += len(doc)
        return result

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
            if confidence is None:
                clear_stored(doc, ARC_NAMES)
            else:
                set_arc_confidence(doc, confidence)
            columns: Any = np.stack([heads.astype(np.uint64), deps], 1)
            doc.from_array(["HEAD", "DEP"], columns)
            if decorated and not decorated.isdisjoint(deps.tolist()):
                nonproj.deprojectivize(doc)

    # --- the k best parses --------------------------------------------------------------------

    k_best = find_k_best

    def search_k_best(
        self, doc: Doc, k: int, beam_width: int
    ) -> Iterator[tuple[Sentence, list[ScoredDependencies]]]:
        labels = [nonproj.decompose(label)[0] for label in (*self.labels, ROOT_LABEL)]
        reader = self._known_arcs([doc])

        def query(batch: list[Sentence]) -> ArcQuery:
            n_words, known = word_counts(batch), reader.of_batch(batch)
            return ArcQuery(n_words, known, "k_best", k, beam_width)

        for batch, output in self.outputs_of([doc], query, whole=True):
            known = [reader.of_sentence(sentence) for sentence in batch]
            best = self.best_heads(output, word_counts(batch), k, known)
            for sentence, found in zip(batch, best, strict=True):
                if not len(found.heads):
                    raise reader.none_kept(sentence)
                words = tuple(sentence.tokens.tolist())
                parses = [
                    ScoredDependencies(
                        words,
                        tuple(words[head] for head in heads.tolist()),
                        tuple(labels[label] for label in of_arcs.tolist()),
                        log_probability,
                    )
                    for heads, of_arcs, log_probability in zip(
                        found.heads, found.labels, found.log_probs.tolist(), strict=True
                    )
                ]
                yield sentence, parses

    def set_k_best(self, doc: Doc, parses: Sequence[ScoredDependencies]) -> None:
        strings = self.vocab.strings
        heads = np.arange(len(doc))
        deps = np.full(len(doc), strings[SPACE_LABEL], dtype=np.uint64)
        parsed = np.zeros(len(doc), dtype=bool)
        for parse in parses:
            words = list(parse.tokens)
            heads[words] = parse.heads
            deps[words] = [strings[label] for label in parse.labels]
            parsed[words] = True
        self.set_annotations([doc], self._cut_into_docs([doc], heads, deps, parsed, None))
