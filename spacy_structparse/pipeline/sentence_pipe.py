"""The base of all components: batches of sentences, updates, and the stream of Docs.

A component adds how gold annotation becomes its model's batches, and how its model's output becomes
annotation.
"""

import multiprocessing
import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from inspect import Parameter, isfunction, signature
from itertools import islice
from numbers import Integral
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
from spacy.errors import Errors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate

from ..models.checks import check_not_negative
from ..models.parser_model import SentenceBatch
from ..models.trained_module import (
    clear_gradients,
    clip_gradients,
    gradient_norm,
    kept_gradients,
    normalize_gradients,
)
from ..trees.span_group import excerpt
from .loading import CheckedLoading
from .long_sentences import LongSentences
from .sentences import (
    Sentence,
    SeveralSentencesWarning,
    cut_sentences,
    cuts_before,
    is_of_its_text,
    is_plainly_several,
    pack,
)

ANOTHER_TEXT = "the text of its gold is another one"


Factory = TypeVar("Factory", bound=Callable[..., Any])


class Gold(Protocol):
    """A gold sentence."""

    @property
    def sentence(self) -> Sentence: ...


def takes_settings(component: type, settings: Iterable[str]) -> Callable[[Factory], Factory]:
    """Let a factory of a component take settings of its classes, as they are typed there.

    Args:
        component: The component.
        settings: Keyword arguments of the component, which the factory passes on.

    Returns:
        A decorator of a function with the argument ``**settings``.
    """
    arguments = {
        parameter.name: parameter.annotation
        for base in reversed(component.__mro__)
        if isfunction(base.__init__)  # type: ignore[misc]  # spaCy's are compiled
        for parameter in signature(base.__init__).parameters.values()  # type: ignore[misc]
        if parameter.kind is Parameter.KEYWORD_ONLY
    }

    def decorate(factory: Factory) -> Factory:
        *own, _ = signature(factory).parameters.values()
        passed = [
            Parameter(name, Parameter.KEYWORD_ONLY, annotation=arguments[name]) for name in settings
        ]
        factory.__signature__ = signature(factory).replace(  # type: ignore[attr-defined]
            parameters=[*own, *passed]
        )
        del factory.__annotations__["settings"]
        factory.__annotations__ |= {name: arguments[name] for name in settings}
        return factory

    return decorate


class SentencePipe(LongSentences):
    """Base of the parsers.

    Args:
        vocab: The vocabulary of the pipeline.
        model: The model, of one of this package's architectures.
        name: The name of the component in its pipeline.
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
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scorer: Callable | None = None,
        max_words: int = 20_000,
        max_sentence: int = 0,
        grad_clip: float = 0.0,
        unit_gradient: bool = False,
        skip_bad_batches: bool = False,
    ) -> None:
        check_not_negative(f"[{name}]", "grad_clip", grad_clip, whole=False)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.max_words = max_words
        self.max_sentence = max_sentence
        self.grad_clip = grad_clip
        self.unit_gradient = unit_gradient
        self.skip_bad_batches = skip_bad_batches
        self.cfg: dict[str, Any] = {}
        # Gold sentences that training could not use, by reason; reported when they are first met.
        self.skipped: Counter[str] = Counter()
        self._warned_of_starts = False
        # Whether batches were learned from since the last step.
        self._has_gradients = False
        self._steps_without_rate = 0
        # Not known of a component that was read from a pipeline.
        self._parses_uncut_docs = False

    # --- what a parser adds -------------------------------------------------------------------

    reads_gold_tokens = True
    """Whether the gold of an Example belongs to the tokens of its reference."""

    @abstractmethod
    def gold_sentences(self, examples: list[Example]) -> Sequence[Any]:
        """Cut the gold of a batch of examples: a :class:`Gold` for each sentence that has one."""

    @abstractmethod
    def training_batch(self, gold: list[Any]) -> tuple[list[Sentence], Any]:
        """Build a batch of the model from gold sentences, longest first.

        Unusable sentences are counted by :meth:`skip`.

        Returns:
            The usable sentences, and their content for the model.
        """

    # --- training -----------------------------------------------------------------------------

    def check_trainable(self) -> None:
        """Raise ValueError for a model that must not be trained."""
        reason = self.model.attrs.get("untrainable")
        if reason is not None:
            raise ValueError(f"[{self.name}] {reason}")

    def build_model(
        self, get_examples: Callable[[], Iterable[Example]], nlp: Language | None
    ) -> None:
        """Build the model once the labels are known. Embeddings count words in all examples."""
        self._parses_uncut_docs = nlp is None or not cuts_before(nlp, self.name)
        for node in self.model.walk():
            if "collect_vocabulary" in node.attrs:
                node.attrs["collect_vocabulary"](node, (eg.reference for eg in get_examples()))
        sample = [example.predicted for example in islice(get_examples(), 10)]
        # The first one shows how wide the vectors of spacy-transformers' listener are; an empty Doc
        # shows nothing.
        sample.sort(key=len, reverse=True)
        self.model.attrs["labels"] = self.cfg["labels"]
        self.model.initialize(X=sample)
        self.weights_changed()
        self.prepare()

    def skip(self, reason: str, gold: Gold) -> None:
        """Count an unusable gold sentence, and warn of the first of each kind."""
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
        self.check_trainable()
        if not any(len(example.predicted) for example in examples):
            return losses
        self._require_built()
        self.was_trained = True
        gold = self._usable_gold(examples)
        self._check_cuts(examples, gold)
        batches = []
        n_sentences = 0
        for indices in self._pack([g.sentence for g in gold]):
            sentences, content = self.training_batch([gold[i] for i in indices])
            if sentences:
                batches.append(SentenceBatch(token_rows(sentences), content))
                n_sentences += len(sentences)
        set_dropout_rate(self.model, drop)
        drop_gradients = self._drop_gradients()
        begun: Any = self.model.begin_update(([eg.predicted for eg in examples], batches))
        outputs, backprop = begun
        loss = sum(float(output.detach().sum()) for output in outputs) / max(n_sentences, 1)

        def is_finite(d_tokens: torch.Tensor) -> bool:
            norms = [gradient_norm(self.model), float(d_tokens.norm())]
            return bool(np.isfinite([loss, *norms]).all())

        # A listener waits for a gradient even where nothing could be learned. What it has sent to
        # its shared component cannot be taken back.
        backprop(
            [torch.full_like(output, 1.0 / n_sentences) for output in outputs],
            is_finite if self.skip_bad_batches else None,
        )
        norm = gradient_norm(self.model) if self.skip_bad_batches else 0.0
        if not np.isfinite([loss, norm]).all():
            drop_gradients()
            self._bad_batch()
            return losses
        self._has_gradients = True
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the weights by the gradients of the batches since the last step, which are scaled
        as the settings say."""
        self._has_gradients = False
        self._check_rate(sgd)
        if not np.isfinite(self._bounded_gradients()):
            clear_gradients(self.model)
            self._bad_batch()
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

    def _drop_gradients(self) -> Callable[[], None]:
        """A function that drops the gradients of the next batch, and keeps those before it."""
        if self.skip_bad_batches and self._has_gradients:
            return kept_gradients(self.model)
        return partial(clear_gradients, self.model)

    def _usable_gold(self, examples: list[Example]) -> Sequence[Any]:
        """The gold sentences, without those of Docs whose gold is of another text."""
        if not self.reads_gold_tokens:
            return self.gold_sentences(examples)
        others = {i for i, example in enumerate(examples) if not is_of_its_text(example)}
        if not others:
            return self.gold_sentences(examples)
        # Their predicted Docs stay, each with a gold of its own text that has no annotation.
        stated = [
            Example(eg.predicted, Doc(self.vocab, words=[token.text for token in eg.predicted]))
            if i in others
            else eg
            for i, eg in enumerate(examples)
        ]
        usable = []
        for gold in self.gold_sentences(stated):
            if gold.sentence.doc in others:
                self.skip(ANOTHER_TEXT, gold)
            else:
                usable.append(gold)
        return usable

    def _pack(self, sentences: Sequence[Sentence]) -> list[list[int]]:
        """Batches of sentences: each a list of indices."""
        return pack(sentences, self.max_words, self.max_pairs)

    @property
    def max_pairs(self) -> int | None:
        """The largest number of pairs of words in a batch; None: no limit."""
        return None

    def _bounded_gradients(self) -> float:
        """Scale the gradients as the settings say. Returns their norm, 0 where no setting does."""
        if self.unit_gradient:
            return normalize_gradients(self.model)
        if self.grad_clip:
            return clip_gradients(self.model, self.grad_clip)
        return 0.0

    def _bad_batch(self) -> None:
        """Count a batch that is not finite, or raise ValueError."""
        if not self.skip_bad_batches:
            raise ValueError(Errors.E910.format(name=self.name))
        self.skipped["batches that are not finite"] += 1

    def _check_cuts(self, examples: list[Example], gold: Sequence[Gold]) -> None:
        """Warn once if parsing will see longer sentences than training does."""
        was_warned_of = "several sentences" in self.skipped
        if was_warned_of or not self._parses_uncut_docs or len(gold) <= len(examples):
            return
        uncut = {
            i for i, eg in enumerate(examples) if not eg.predicted.has_annotation("SENT_START")
        }
        counts = Counter(g.sentence.doc for g in gold)
        if any(counts[i] > 1 for i in uncut):
            self.skipped["several sentences"] = 0
            warnings.warn(
                f"[{self.name}] docs without sentence starts have several gold sentences: put a "
                "'senter' or 'sentencizer' before it, or it parses each doc as one",
                stacklevel=2,
            )

    def _require_built(self) -> None:
        if not self._shim.is_built:
            raise ValueError(Errors.E109.format(name=self.name))

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
        self, docs: list[Doc], content: Callable[[list[Sentence]], Any], *, whole: bool = False
    ) -> Iterator[tuple[list[Sentence], Any]]:
        """Decode all sentences of Docs.

        Args:
            docs: The Docs.
            content: A function from the sentences of a batch to the model's query.
            whole: Decode long sentences as a whole too.

        Yields:
            Batches of sentences, or parts of long ones, longest first, each with the model's
            answer.
        """
        self._require_built()
        self._check_starts(docs)
        sentences = self.cut(docs)
        if not whole:
            sentences = [part for s in sentences for part in self.parts(s, docs[s.doc])]
        packed = [[sentences[i] for i in indices] for indices in self._pack(sentences)]
        if packed:
            batches = [SentenceBatch(token_rows(batch), content(batch)) for batch in packed]
            yield from zip(packed, self.model.predict((docs, batches)), strict=True)

    def cut(
        self, docs: Sequence[Doc], starts: Sequence[np.ndarray] | None = None
    ) -> Sequence[Sentence]:
        """Cut Docs into sentences, as :func:`~spacy_structparse.pipeline.sentences.cut_sentences`
        does."""
        return cut_sentences(docs, starts)

    def _check_starts(self, docs: Iterable[Doc]) -> None:
        """Warn once of a Doc that is taken as one sentence and looks like several."""
        if self._warned_of_starts:
            return
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


def word_counts(sentences: Sequence[Sentence]) -> np.ndarray:
    """(B,) words of each sentence."""
    return np.array([len(s.tokens) for s in sentences], dtype=np.int64)


def token_rows(sentences: list[Sentence]) -> np.ndarray:
    """(N,) the tokens of sentences, counted through all Docs of the call."""
    return np.concatenate([s.tokens + s.offset for s in sentences])


class BeamSearch(CheckedLoading):
    """Mixin of components whose model has the setting ``beam_width``."""

    @property
    def beam_width(self) -> int:
        """The number of hypotheses in decoding; 1 is greedy. Can be changed after loading."""
        return self._shim.settings["beam_width"]

    @beam_width.setter
    def beam_width(self, width: int) -> None:
        if not isinstance(width, Integral) or isinstance(width, bool) or width < 1:
            raise ValueError(
                f"[{self.name}] beam_width is {width!r}, it must be a whole number of at least 1"
            )
        self._shim.settings["beam_width"] = int(width)


_ARCHITECTURE = {"@architectures": "spacy-structparse.TokenEmbedding.v1"}


def default_embedding(width: int, word_width: int) -> dict[str, Any]:
    """The config of a parser's embedding: words, and hashed features of their form."""
    return {
        **_ARCHITECTURE,
        "width": width,
        "word_width": word_width,
        "features": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
        "feature_rows": [5000, 2500, 2500, 2500],
    }


def word_embedding(word_width: int, max_vocabulary: int) -> dict[str, Any]:
    """The config of a language model's embedding: frequent words alone."""
    return {
        **_ARCHITECTURE,
        "width": 0,
        "word_width": word_width,
        "features": [],
        "feature_rows": [],
        "relu": False,
        "unk_prob": 0.0,
        "max_vocabulary": max_vocabulary,
        "dropout": "none",
    }
