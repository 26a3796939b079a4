"""The base of the dependency parsers: gold arcs, labels and annotation.

A parser adds how gold sentences become its model's batches, and how its model's output becomes
heads and labels.
"""

import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from spacy.errors import Errors
from spacy.language import Language
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model

from ..extensions.confidence import ARC_NAMES, clear_confidence, set_arc_confidence
from ..extensions.noun_chunks import use_noun_chunks
from ..scoring.calibration import Outcomes, arc_outcomes
from ..search_results import ConfidenceQuery, ConfidentParse, KBestHeads
from ..transitions.dependency.arc_standard import ROOT_LABEL
from ..transitions.dependency.known_arcs import ArcQuery, KnownArcs
from .confidence import ConfidenceSettings
from .gold_dependencies import GoldSentence, gold_sentences, is_root_label, tree_problem
from .k_best import KBest, ScoredDependencies
from .known_arcs import ConstrainedArcs, arc_query
from .long_sentences import join_roots
from .sentence_pipe import token_rows, word_counts
from .sentences import Sentence, attach_spaces, is_of_its_text

SPACE_LABEL = "dep"
ALL_LABELS = "Give the labels to learn in [initialize.components.NAME] labels."
"""What to do instead of the removed setting ``min_label_freq``."""
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


class DependencyPipe(ConfidenceSettings, ConstrainedArcs, KBest[ScoredDependencies]):
    """Base of the dependency parsers.

    Args:
        settings: See :class:`~spacy_structparse.pipeline.sentence_pipe.SentencePipe`,
            :class:`~spacy_structparse.pipeline.confidence.ConfidenceSettings` and
            :class:`~spacy_structparse.pipeline.known_arcs.ConstrainedArcs`.
    """

    calibrated = ("heads", "labels")
    annotation = "heads"

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        **settings: Any,
    ) -> None:
        super().__init__(vocab, model, name, **settings)
        self.cfg["labels"] = []
        self._added_labels: list[str] = []
        self._unknown_labels: set[str] = set()
        self._store_labels()

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

    @property
    def label_data(self) -> list[str]:
        """The labels, as ``spacy init labels`` stores them."""
        return list(self.labels)

    def add_label(self, label: str) -> int:
        """Add a label, before the model is initialized.

        Returns:
            1 if the label is new, else 0.

        Raises:
            ValueError: The model is initialized.
        """
        if not _is_new(label, self.cfg["labels"]):
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

    def _store_labels(self) -> None:
        """Add labels to the string store: Docs are annotated by hash, in any Vocab.

        Docs get noun chunks by these labels, too.
        """
        for label in (ROOT_LABEL, SPACE_LABEL, *self.labels):
            self.vocab.strings.add(label)
        use_noun_chunks(self.vocab, self.labels)

    # --- training -----------------------------------------------------------------------------

    def gold_sentences(self, examples: list[Example]) -> list[GoldSentence]:
        sentences = gold_sentences(examples)
        self._name_unknown_labels(sentences)
        return sentences

    def _name_unknown_labels(self, sentences: Iterable[GoldSentence]) -> None:
        """Warn of gold labels that a trained parser does not have; it learns their heads alone."""
        counts = Counter(label for sentence in sentences for label in sentence.arc_labels if label)
        known = {*self._unknown_labels, *self.labels}
        unknown = [label for label, _ in counts.most_common() if label not in known]
        if unknown:
            self._unknown_labels.update(unknown)
            more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
            warnings.warn(
                f"[{self.name}] does not have the gold labels {', '.join(unknown[:5])}{more}. It "
                "learns their heads only; for the labels, train it from scratch",
                stacklevel=2,
            )

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
        known = self._added_labels if self._shim.is_built else self.cfg["labels"]
        found = list(known)
        for label in self._read_labels(get_examples) if labels is None else labels:
            if _is_new(label, found):
                found.append(label)
        if not found:
            raise ValueError(
                f"[{self.name}] there are no labels: the training data has no arc between two "
                "words, and none were given"
            )
        self.cfg["labels"] = found
        self._store_labels()
        self.build_model(get_examples, nlp)

    def _read_labels(self, get_examples: Callable[[], Iterable[Example]]) -> list[str]:
        """The labels of the training data, sorted."""
        labels: set[str] = set()
        n_heads = 0
        for examples in minibatch(get_examples(), size=256):
            for gold in gold_sentences([eg for eg in examples if is_of_its_text(eg)]):
                n_heads += len(gold.heads) - gold.heads.count(-1)
                if tree_problem(gold.heads) is None:
                    labels.update(self.gold_labels(gold))
        if not n_heads:
            raise ValueError(
                f"[{self.name}] the training data has no dependencies: the docs need token.head "
                "and token.dep (was the .spacy file converted from trees alone?)"
            )
        return sorted(labels)

    # --- parsing ------------------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Parses:
        """Find heads and labels of every Doc, and how sure they are if that is asked for."""
        docs = list(docs)
        lengths = [len(doc) for doc in docs]
        if not any(lengths):
            return [DependencyParse(np.zeros(0, np.int64), np.zeros(0, np.uint64)) for _ in docs]
        n_tokens = sum(lengths)
        heads = np.arange(n_tokens)
        deps = np.full(n_tokens, self.vocab.strings[SPACE_LABEL], dtype=np.uint64)
        parsed = np.zeros(n_tokens, dtype=bool)
        confidence = np.full((n_tokens, 2), np.nan) if self.confidence else None
        given = np.zeros((n_tokens, 2), dtype=bool)
        label_hashes = np.array(
            [self.vocab.strings[label] for label in (*self.labels, ROOT_LABEL)], dtype=np.uint64
        )
        parts: list[Sentence] = []
        reader = self.arc_reader(docs)

        def query(batch: list[Sentence]) -> ArcQuery | ConfidenceQuery:
            of_batch = arc_query(reader, batch)
            return ConfidenceQuery(of_batch) if self.confidence else of_batch

        for batch, output in self.outputs_of(docs, query):
            parts += [sentence for sentence in batch if sentence.part_of is not None]
            rows, size = token_rows(batch), word_counts(batch)
            if isinstance(output, ConfidentParse):
                assert confidence is not None
                confidence[rows] = output.confidence.cpu().numpy()
                output = output.parse
            local, labels = self.read_output(output, size)
            if reader is not None:
                given[rows] = self.check_kept(reader, batch, local, labels)
            starts = np.repeat(np.cumsum(size) - size, size)
            heads[rows] = rows[starts + local]
            deps[rows] = label_hashes[labels]
            parsed[rows] = True
        joined = join_roots(parts, heads)
        deps[joined] = self.vocab.strings[JOINING_LABEL]
        if confidence is not None:
            confidence[joined] = np.nan
            confidence = self._calibrated(confidence, given)
        return self._cut_into_docs(docs, heads, deps, parsed, confidence)

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
                clear_confidence(doc, ARC_NAMES)
            else:
                set_arc_confidence(doc, confidence)
            columns: Any = np.stack([heads.astype(np.uint64), deps], 1)
            doc.from_array(["HEAD", "DEP"], columns)
            if decorated and not decorated.isdisjoint(deps.tolist()):
                nonproj.deprojectivize(doc)

    def outcomes(self, examples: Sequence[Example]) -> Sequence[Outcomes]:
        return arc_outcomes(examples)

    # --- the k best parses --------------------------------------------------------------------

    def k_best_query(self, doc: Doc, batch: list[Sentence]) -> ArcQuery:
        return arc_query(self.arc_reader([doc]), batch)

    def read_k_best(
        self, doc: Doc, batch: list[Sentence], output: Any, k: int
    ) -> Iterable[list[ScoredDependencies]]:
        labels = [nonproj.decompose(label)[0] for label in (*self.labels, ROOT_LABEL)]
        reader = self.arc_reader([doc])
        known = [None if reader is None else reader.of_sentence(one) for one in batch]
        best = self.best_heads(output, word_counts(batch), k, known)
        for sentence, found in zip(batch, best, strict=True):
            if reader is not None and not len(found.heads):
                raise reader.none_kept(sentence)
            words = tuple(sentence.tokens.tolist())
            yield [
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


def _is_new(label: str, labels: Sequence[str]) -> bool:
    """Whether a label is to be added to labels. Raises ValueError if it is no string."""
    if not isinstance(label, str):
        raise ValueError(Errors.E187)
    return label not in labels and not is_root_label(label)
