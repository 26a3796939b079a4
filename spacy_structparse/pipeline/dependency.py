"""The dependency pipe: what every dependency parser of this package shares.

Sentences, gold arcs, labels and annotation are here; a parser adds how gold
sentences become what its model learns from, and how its model's output becomes heads and labels.
"""

import multiprocessing
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import torch
from spacy.errors import Errors
from spacy.language import Language
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate

from ..models.parser_model import SentenceBatch
from ..models.torch_model import clip_gradients
from ..transitions.arc_standard import ROOT_LABEL
from .gold import GoldSentence, gold_sentences, is_root_label, tree_problem
from .loading import CheckedLoading
from .sentences import Sentence, attach_spaces, cut_sentences, pack

SPACE_LABEL = "dep"
Parses = list[tuple[np.ndarray, np.ndarray]]


class DependencyPipe(CheckedLoading):
    """Base of the dependency parsers.

    max_words: the most words parsed in one batch (bounds memory).
    grad_clip: the most that the joint norm of all the parser's gradients may be; 0 for no limit.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scorer: Callable | None = None,
        max_words: int = 20_000,
        grad_clip: float = 0.0,
        min_label_freq: int = 1,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.max_words = max_words
        self.grad_clip = grad_clip
        self.min_label_freq = min_label_freq
        self.cfg: dict[str, Any] = {"labels": []}
        # Gold sentences that training could not use, by reason; reported when they are first met.
        self.skipped: Counter[str] = Counter()
        self._store_labels()

    # --- what a parser adds -------------------------------------------------------------------

    @abstractmethod
    def gold_labels(self, gold: GoldSentence) -> Iterable[str]:
        """The labels that a gold sentence asks the model to know, the root's left out."""

    @abstractmethod
    def collate(self, gold: list[GoldSentence]) -> tuple[list[Sentence], Any]:
        """What the model learns from: the sentences it can use, longest first, and their content.

        Sentences that cannot be used are counted by :meth:`skip`."""

    @abstractmethod
    def read_output(
        self, output: torch.Tensor, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The model's output as heads, counted within each sentence, and label indices, -1 at the
        root: (N,) each, for the sentences laid end to end."""

    # --- labels -------------------------------------------------------------------------------

    @property
    def label_data(self) -> list[str]:
        """The labels, as ``spacy init labels`` stores them."""
        return list(self.labels)

    def add_label(self, label: str) -> int:
        """Add a label. Only possible before the model is initialized. 1 if it is new, else 0."""
        if not isinstance(label, str):
            raise ValueError(Errors.E187)
        if label in self.cfg["labels"] or is_root_label(label):
            return 0
        if self._shim.is_built:
            raise ValueError(
                f"[{self.name}] label '{label}' cannot be added: the model is initialized with "
                f"{len(self.labels)} labels; give all labels in nlp.initialize() or "
                "[initialize.components]"
            )
        self.cfg["labels"].append(label)
        self.vocab.strings.add(label)
        return 1

    def _store_labels(self) -> None:
        """What is written as a hash must be in the string store, whatever data it has seen."""
        for label in (ROOT_LABEL, SPACE_LABEL, *self.labels):
            self.vocab.strings.add(label)

    # --- training -----------------------------------------------------------------------------

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | None = None,
    ) -> None:
        """Read labels (unless given) and the embeddings' vocabulary from all examples and build the
        model. Raises ValueError where no example has a dependency."""
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        if labels is not None:
            for label in labels:
                self.add_label(label)
        else:
            self._read_labels(get_examples)
        if not self.labels:
            raise ValueError(
                f"[{self.name}] there are no labels: the training data has no arc between two "
                "words, and none were given (min_label_freq = "
                f"{self.min_label_freq})"
            )
        for node in self.model.walk():
            if "collect_vocabulary" in node.attrs:
                node.attrs["collect_vocabulary"](node, (eg.reference for eg in get_examples()))
        sample = [example.predicted for example in islice(get_examples(), 10)]
        self.model.attrs["labels"] = list(self.labels)
        self.model.initialize(X=sample)
        self.prepare()

    def _read_labels(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        counts: Counter[str] = Counter()
        n_heads = 0
        for examples in minibatch(get_examples(), size=256):
            for gold in gold_sentences(list(examples)):
                n_heads += len(gold.heads) - gold.heads.count(-1)
                if tree_problem(gold.heads) is None:
                    counts.update(self.gold_labels(gold))
        if not n_heads:
            raise ValueError(
                f"[{self.name}] the training data has no dependencies: the docs need token.head "
                "and token.dep (was the .spacy file converted from trees alone?)"
            )
        rare = sorted(label for label, n in counts.items() if n < self.min_label_freq)
        for label in sorted(counts):
            if counts[label] >= self.min_label_freq:
                self.add_label(label)
        if rare:
            warnings.warn(
                f"[{self.name}] labels seen less than min_label_freq = {self.min_label_freq} times "
                f"are not learned: {', '.join(rare)}",
                stacklevel=2,
            )

    def skip(self, reason: str, gold: GoldSentence) -> None:
        """Count a gold sentence that cannot be learned from; the first of each kind is shown."""
        self.skipped[reason] += 1
        if self.skipped[reason] == 1:
            first, last = gold.sentence.tokens[[0, -1]]
            warnings.warn(
                f"[{self.name}] gold sentence skipped: {reason} (doc {gold.sentence.doc} of its "
                f"batch, tokens {first} to {last}); further ones are counted in "
                f"nlp.get_pipe('{self.name}').skipped",
                stacklevel=2,
            )

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch. The loss is the mean over its sentences."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not any(len(example.predicted) for example in examples):
            return losses
        self._require_built()
        gold = gold_sentences(examples)
        self._check_cuts(examples, gold)
        batches = []
        n_sentences = 0
        for indices in pack([g.sentence for g in gold], self.max_words):
            sentences, content = self.collate([gold[i] for i in indices])
            if sentences:
                batches.append(SentenceBatch(_rows(sentences), content))
                n_sentences += len(sentences)
        set_dropout_rate(self.model, drop)
        outputs, backprop = self.model.begin_update(([eg.predicted for eg in examples], batches))
        # A listener waits for a gradient even where nothing could be learned.
        backprop([torch.full_like(output, 1.0 / n_sentences) for output in outputs])
        loss = sum(float(output.detach().sum()) for output in outputs) / max(n_sentences, 1)
        if not np.isfinite(loss):
            raise ValueError(Errors.E910.format(name=self.name))
        if self.grad_clip:
            clip_gradients(self.model, self.grad_clip)
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def _check_cuts(self, examples: list[Example], gold: list[GoldSentence]) -> None:
        """Warn once where parsing will see longer sentences than training does."""
        if "several sentences" in self.skipped or len(gold) <= len(examples):
            return
        uncut = {
            i for i, eg in enumerate(examples) if not eg.predicted.has_annotation("SENT_START")
        }
        counts = Counter(g.sentence.doc for g in gold)
        if any(counts[i] > 1 for i in uncut):
            self.skipped["several sentences"] = 0
            warnings.warn(
                f"[{self.name}] the docs have no sentence starts but their gold has several "
                "sentences: training cuts by the gold, parsing takes a doc without starts as one "
                "sentence; put a 'senter' or 'sentencizer' before this component and list it "
                "under [training] annotating_components",
                stacklevel=2,
            )

    def _require_built(self) -> None:
        if not self._shim.is_built:
            raise ValueError(Errors.E109.format(name=self.name))

    # --- parsing ------------------------------------------------------------------------------

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:
        """Parse a stream of docs. Under ``n_process`` each worker keeps to one torch thread.

        Where a batch fails its docs are parsed one by one, so that the error handler is called for
        those at fault alone and the others are not lost.
        """
        if multiprocessing.parent_process() is not None:
            torch.set_num_threads(1)
        handle_error = self.get_error_handler()
        for batch in minibatch(stream, size=batch_size):
            docs = list(batch)
            try:
                self.set_annotations(docs, self.predict(docs))
            except Exception as error:
                if len(docs) == 1:
                    handle_error(self.name, self, docs, error)
                else:
                    yield from self.pipe(docs, batch_size=1)
                continue
            yield from docs

    def predict(self, docs: Iterable[Doc]) -> Parses:
        """Heads, relative to the token, and label hashes of every doc: (len(doc),) each."""
        docs = list(docs)
        lengths = [len(doc) for doc in docs]
        if not any(lengths):
            return [(np.zeros(0, np.int64), np.zeros(0, np.uint64)) for _ in docs]
        self._require_built()
        sentences = cut_sentences(docs)
        n_tokens = sum(lengths)
        heads = np.arange(n_tokens)
        deps = np.full(n_tokens, self.vocab.strings[SPACE_LABEL], dtype=np.uint64)
        parsed = np.zeros(n_tokens, dtype=bool)
        label_hashes = np.array(
            [self.vocab.strings[label] for label in (*self.labels, ROOT_LABEL)], dtype=np.uint64
        )
        packed = [[sentences[i] for i in indices] for indices in pack(sentences, self.max_words)]
        sizes = [np.array([len(s.tokens) for s in batch]) for batch in packed]
        batches = [
            SentenceBatch(_rows(batch), size) for batch, size in zip(packed, sizes, strict=True)
        ]
        outputs = self.model.predict((docs, batches))
        for batch, size, output in zip(batches, sizes, outputs, strict=True):
            local, labels = self.read_output(output, size)
            starts = np.repeat(np.cumsum(size) - size, size)
            heads[batch.rows] = batch.rows[starts + local]
            deps[batch.rows] = label_hashes[labels]
            parsed[batch.rows] = True
        return self._cut_into_docs(docs, heads, deps, parsed)

    def _cut_into_docs(
        self, docs: list[Doc], heads: np.ndarray, deps: np.ndarray, parsed: np.ndarray
    ) -> Parses:
        spaces = not parsed.all()
        root = self.vocab.strings[ROOT_LABEL]
        result = []
        offset = 0
        for doc in docs:
            part = slice(offset, offset + len(doc))
            doc_heads, doc_deps = heads[part] - offset, deps[part]
            if spaces and len(doc):
                starts = doc.to_array("SENT_START") == 1
                starts[0] = True
                attach_spaces(doc_heads, parsed[part], starts)
                doc_deps[(doc_heads == np.arange(len(doc))) & ~parsed[part]] = root
            result.append((doc_heads - np.arange(len(doc)), doc_deps))
            offset += len(doc)
        return result

    def set_annotations(self, docs: Iterable[Doc], parses: Parses) -> None:
        """Write heads, labels and sentence starts; non-projective arcs are put back."""
        decorated = {
            self.vocab.strings[label] for label in self.labels if nonproj.is_decorated(label)
        }
        for doc, (heads, deps) in zip(docs, parses, strict=True):
            if not len(doc):
                continue
            columns: Any = np.stack([heads.astype(np.uint64), deps], 1)
            doc.from_array(["HEAD", "DEP"], columns)
            if decorated and not decorated.isdisjoint(deps.tolist()):
                nonproj.deprojectivize(doc)


def _rows(sentences: list[Sentence]) -> np.ndarray:
    return np.concatenate([s.tokens + s.offset for s in sentences])
