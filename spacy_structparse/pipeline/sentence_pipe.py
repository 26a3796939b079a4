"""The base of all components: batches of sentences, updates, and the stream of Docs.

A component adds how gold annotation becomes its model's batches, and how its model's output becomes
annotation.
"""

import multiprocessing
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from spacy.errors import Errors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate

from ..errors import ActionError
from ..input_limits import check_regular
from ..models.checks import Limits, check_number, check_whole
from ..models.parser_model import SentenceBatch, clip_gradients, max_pairs
from ..models.token_embedding import collect_vocabulary
from ..models.torch_model import TorchModule, shim_of
from ..search_results import Calibration, Sentences, check_calibration
from ..trees.span_group import excerpt
from .loading import (
    CALIBRATION,
    RECORD,
    THIS,
    checked_loading,
    warn_of_newer,
)
from .long_sentences import parts_of
from .sentences import (
    Sentence,
    SeveralSentencesWarning,
    Symbols,
    cut_sentences,
    is_plainly_several,
    pack,
    symbols_of,
    token_rows,
    word_counts,
)

_BAD_BATCHES = "batches that are not finite"


class SentencePipe(TrainablePipe):
    """Base of the components: batches of sentences, training, confidence, saving and loading.

    The weights bring the configuration that their module is built from
    (:mod:`spacy_structparse.models.torch_model`), so that nothing has to be initialized before
    loading.

    Args:
        vocab: The vocabulary of the pipeline.
        model: The model, of one of this package's architectures.
        name: The name of the component in its pipeline.
        settings: The following, each of which is an attribute too.
        scorer: The function that scores Examples, in training and evaluation.
        max_words: Maximum number of words in a batch. Bounds memory. A longer sentence is a batch
            of its own.
        max_sentence: Maximum number of words in a sentence that is parsed as a whole. A longer one
            is parsed in parts, which are joined, with a warning. Bounds time and memory, which grow
            with the square of the length. 0: no limit.
        grad_clip: Maximum of the joint norm of all gradients of the component. 0: no limit.
        unit_gradient: Scale all gradients to a joint norm of 1 ("Phrasal Recurrent Neural
            Network", §3.2 and §4.2).
        skip_bad_batches: Count batches whose loss or gradient is not finite in ``skipped``, and
            learn nothing from them (as the same paper does). ``false``: they are an error.
        confidence: Compute how sure parses are, for ``token._.head_confidence``,
            ``token._.dep_confidence``, ``span._.confidence`` and ``doc._.parse_confidence``. Can be
            changed after loading.
    """

    calibrated: ClassVar[tuple[str, ...]] = ()
    """The decisions whose confidence the component computes, and can calibrate."""

    max_words: int = 20_000
    max_sentence: int = 0
    grad_clip: float = 0.0
    unit_gradient: bool = False
    skip_bad_batches: bool = False
    confidence: bool = False
    scorer: Callable | None

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = None
        for setting, value in settings.items():
            if not hasattr(self, setting):
                raise TypeError(f"[{name}] there is no setting {setting}")
            setattr(self, setting, value)
        check_number(f"[{name}]", "grad_clip", self.grad_clip, Limits(0))
        check_whole(f"[{name}]", "max_sentence", self.max_sentence)
        self.cfg: dict[str, Any] = {RECORD: THIS, "labels": []}
        # Gold sentences that training could not use, by reason; reported when they are first met.
        self.skipped: Counter[str] = Counter()
        self._warned_of_starts = self._warned_of_length = False
        self._has_gradients = False  # of batches since the last step
        self._steps_without_rate = 0

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the component, without ROOT, which every root gets."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> Any:
        """The labels, as ``spacy init labels`` stores them."""
        return list(self.labels)

    @property
    def calibration(self) -> dict[str, Calibration]:
        """The calibration of ``heads`` and ``labels``, or of ``brackets``.

        It is stored with the component, and changes nothing where none was fitted. ``spacy
        structparse calibrate`` fits it.
        """
        stored = self.cfg.get(CALIBRATION, {})
        return {name: Calibration(*stored.get(name, ())) for name in self.calibrated}

    @calibration.setter
    def calibration(self, calibration: Mapping[str, Any]) -> None:
        check_calibration(f"[{self.name}] its calibration", calibration, self.calibrated)
        self.cfg[CALIBRATION] = {
            name: [float(value) for value in numbers] for name, numbers in calibration.items()
        }

    @property
    def _shim(self) -> TorchModule:
        return shim_of(self.model.get_ref("parser"))

    def _require_built(self) -> None:
        if not self._shim.is_built:
            raise ValueError(Errors.E109.format(name=self.name))

    # --- what a parser adds -------------------------------------------------------------------

    @abstractmethod
    def choose_labels(
        self, get_examples: Callable[[], Iterable[Example]], labels: Any
    ) -> list[str] | dict[str, Any]:
        """Return the labels to learn: those that are given or, for None, those of the data."""

    @abstractmethod
    def gold_sentences(self, examples: list[Example]) -> Sequence[Any]:
        """Cut the gold of a batch of examples: an item with its
        ``sentence`` for each sentence that has one."""

    def target(self, gold: Any) -> Any:
        """Return what the model learns of a gold sentence. Raises ActionError, with the reason, for
        one that it cannot learn from."""
        return gold.target

    @abstractmethod
    def model_batch(self, sentences: list[Sentence], targets: list[Any]) -> Any:
        """Build a batch of the model from sentences, longest first, and their targets."""

    def prepare(self) -> None:
        """Called when labels and model are in place, fresh or loaded."""

    def store_labels(self) -> None:
        """Called when the string store may have been replaced."""

    reads: Symbols = ""
    """What the model's actions read of each word, if anything."""

    def with_known(self, docs: list[Doc], sentences: list[Sentence]) -> list[Sentence]:
        """Add to sentences what is known of their parses, which the parser keeps."""
        return sentences

    def constraint(self, sentence: Sentence) -> Any:
        """Return what is known of a sentence, as the model's search takes it."""
        return sentence.known

    # --- training -----------------------------------------------------------------------------

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | dict[str, Any] | None = None,
    ) -> None:
        """Collect labels and the embeddings' vocabulary from all examples, and build the model.

        A model that is there already is replaced.

        Args:
            get_examples: The training data.
            nlp: The pipeline.
            labels: The labels, instead of those of the data.

        Raises:
            ValueError: There is nothing to learn.
        """
        self._check_trainable()
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self.cfg["labels"] = self.choose_labels(get_examples, labels)
        self.store_labels()
        for node in self.model.walk():
            if "vocabulary" in node.attrs:
                collect_vocabulary(node, (example.reference for example in get_examples()))
        sample = [example.predicted for example in islice(get_examples(), 10)]
        # The first one shows how wide the vectors of spacy-transformers' listener are; an empty Doc
        # shows nothing.
        sample.sort(key=len, reverse=True)
        self.model.attrs["labels"] = self.cfg["labels"]
        self.model.initialize(X=sample)
        self.weights_changed()
        self.prepare()

    def _check_trainable(self) -> None:
        reason = self.model.attrs.get("untrainable")
        if reason is not None:
            raise ValueError(f"[{self.name}] {reason}")

    def training_batch(self, gold: list[Any]) -> tuple[list[Sentence], Any]:
        """Build a batch of the model from gold sentences, longest first.

        Returns:
            The sentences that can be learned from, and their batch; None if there are none.
        """
        sentences: list[Sentence] = []
        targets = []
        for item in gold:
            try:
                targets.append(self.target(item))
            except ActionError as error:
                self.skip(str(error), item.sentence)
            else:
                sentences.append(item.sentence)
        return sentences, self.model_batch(sentences, targets) if targets else None

    def skip(self, reason: str, sentence: Sentence) -> None:
        """Count an unusable gold sentence, and warn of the first of each kind."""
        self.skipped[reason] += 1
        if self.skipped[reason] == 1:
            warnings.warn(
                f"[{self.name}] gold sentence skipped: {reason} ({sentence.where}); further ones "
                f"are counted in nlp.get_pipe('{self.name}').skipped",
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
        """Learn from a batch. The loss is the mean over its sentences.

        Raises:
            ValueError: The loss is not finite, and bad batches are not skipped.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        self._check_trainable()
        if not any(len(example.predicted) for example in examples):
            return losses
        self._require_built()
        gold = self.gold_sentences(examples)
        batches = []
        n_sentences = 0
        for indices in self._packed([item.sentence for item in gold]):
            sentences, content = self.training_batch([gold[i] for i in indices])
            if sentences:
                batches.append(SentenceBatch(token_rows(sentences), content))
                n_sentences += len(sentences)
        set_dropout_rate(self.model, drop)
        begun: Any = self.model.begin_update(([eg.predicted for eg in examples], batches))
        outputs, backprop = begun
        loss = sum(float(output.detach().sum()) for output in outputs) / max(n_sentences, 1)
        if not (self.skip_bad_batches or np.isfinite(loss)):
            raise ValueError(Errors.E910.format(name=self.name))
        d_outputs = [torch.full_like(output, 1.0 / n_sentences) for output in outputs]
        if not backprop(d_outputs, only_finite=self.skip_bad_batches):
            self.skipped[_BAD_BATCHES] += 1
            return losses
        self._has_gradients |= bool(batches)
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights by the gradients of the batches since the last step, which are scaled
        as the settings say."""
        self._check_rate(sgd)
        if not self._has_gradients:
            return  # nothing was learned, or all batches were skipped
        self._has_gradients = False
        if self.unit_gradient or self.grad_clip:
            norm = 1.0 if self.unit_gradient else self.grad_clip
            if not clip_gradients(self.model, norm, exactly=self.unit_gradient):
                if not self.skip_bad_batches:
                    raise ValueError(Errors.E910.format(name=self.name))
                self.skipped[_BAD_BATCHES] += 1
                return
        self.weights_changed()
        super().finish_update(sgd)

    def _check_rate(self, sgd: Optimizer) -> None:
        """Warn once of a second update in a row that changes nothing.

        The first one of a schedule with a warm-up has the rate 0, which `spacy train` then raises.
        A training loop of one's own does not, unless it calls `step_schedules`.
        """
        is_still = getattr(sgd, "learn_rate", None) == 0.0  # a function can be an optimizer
        self._steps_without_rate = self._steps_without_rate + 1 if is_still else 0
        if self._steps_without_rate == 2:
            warnings.warn(
                f"[{self.name}] learns nothing: the learning rate is 0.0. Call "
                "optimizer.step_schedules() after each update, or set optimizer.learn_rate",
                stacklevel=3,
            )

    def weights_changed(self) -> None:
        """Drop the calibration: it was fitted to other weights."""
        self.cfg.pop(CALIBRATION, None)

    # --- parsing ------------------------------------------------------------------------------

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:
        """Annotate a stream of Docs. Under ``n_process`` each worker uses one torch thread.

        The Docs of a failing batch are annotated one by one, so that the error handler is called
        for those at fault alone.
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

    def outputs_of(
        self, docs: list[Doc], *, whole: bool = False
    ) -> Iterator[tuple[list[Sentence], Any]]:
        """Decode all sentences of Docs. Those of which something is known are never cut.

        Args:
            docs: The Docs.
            whole: Decode long sentences as a whole too.

        Yields:
            Batches of sentences, or parts of long ones, longest first, each with the model's
            answer.
        """
        self._require_built()
        if not self._warned_of_starts:
            self._check_starts(docs)
        sentences = self.with_known(docs, cut_sentences(docs))
        if self.max_sentence and not whole:
            parts = (self._parts(sentence, docs[sentence.doc]) for sentence in sentences)
            sentences = list(chain.from_iterable(parts))
        packed = [[sentences[i] for i in indices] for indices in self._packed(sentences)]
        if packed:
            batches = [
                SentenceBatch(token_rows(batch), self._query(docs, batch)) for batch in packed
            ]
            outputs = self.model.predict((docs, batches))[::-1]
            for batch in packed:  # an output goes when the next one comes: it may be large
                yield batch, outputs.pop()

    def _packed(self, sentences: Sequence[Sentence]) -> list[list[int]]:
        return pack(sentences, self.max_words, max_pairs(self.model))

    def _query(self, docs: Sequence[Doc], batch: Sequence[Sentence]) -> Sentences:
        """The sentences of a batch as the model's search takes them."""
        constraints = symbols = None
        if any(sentence.known is not None for sentence in batch):
            constraints = [self.constraint(sentence) for sentence in batch]
        if self.reads:
            symbols = [symbols_of(docs[s.doc], self.reads, s.tokens.tolist()) for s in batch]
        return Sentences(word_counts(batch), constraints, symbols)

    def _parts(self, sentence: Sentence, doc: Doc) -> list[Sentence]:
        """Cut a sentence that is too long to be parsed as a whole, with a warning for the first."""
        if len(sentence.tokens) <= self.max_sentence or sentence.known is not None:
            return [sentence]
        parts = parts_of(sentence, doc, self.max_sentence)
        self.warn_of_length(
            sentence,
            f"longer than max_sentence = {self.max_sentence}: it is parsed in {len(parts)} parts, "
            "which are joined",
            "max_sentence",
        )
        return parts

    def warn_of_length(self, sentence: Sentence, problem: str, setting: str) -> None:
        """Warn of the first sentence that is too long to be read as shorter ones are."""
        if self._warned_of_length:
            return
        self._warned_of_length = True
        warnings.warn(
            f"[{self.name}] a sentence of {len(sentence.tokens)} words ({sentence.where}) is "
            f"{problem}. Put a 'senter' or 'sentencizer' before it, or raise {setting}",
            stacklevel=2,
        )

    def _check_starts(self, docs: Iterable[Doc]) -> None:
        """Warn once of a Doc that is taken as one sentence and looks like several."""
        for doc in docs:
            if not doc.has_annotation("SENT_START") and is_plainly_several(doc):
                self._warned_of_starts = True
                warnings.warn(
                    f"[{self.name}] a doc has several sentences, but no sentence starts, and is "
                    f"taken as one: {excerpt(doc.text)}. Put a 'senter' or 'sentencizer' before",
                    SeveralSentencesWarning,
                    stacklevel=2,
                )
                return

    @abstractmethod
    def predict(self, docs: Iterable[Doc]) -> Any: ...

    @abstractmethod
    def set_annotations(self, docs: Iterable[Doc], parses: Any) -> None: ...

    # --- saving and loading -------------------------------------------------------------------

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        with checked_loading(self, "bytes", exclude):
            super().from_bytes(bytes_data, exclude=tuple(exclude))
        return self

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        with checked_loading(self, str(path), exclude):
            check_regular(Path(path))
            super().from_disk(path, exclude=tuple(exclude))
            warn_of_newer(self.cfg.get(RECORD), Path(path).parent)
        return self
