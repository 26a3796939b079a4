"""``phrasal_lm``: a language model of sentences, learned from plain text."""

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..extensions.surprisal import clear_surprisal, set_surprisal
from ..models.checks import check_whole
from ..models.parser_model import SentenceBatch
from ..models.spelling import Spelling
from ..models.token_lookup import UNKNOWN, RowIndex, hashes_of
from ..models.vocabulary import count_vocabulary, most_frequent
from ..nn.phrasal_lm.model import LMBatch, Predicted
from ..removed_settings import removed_settings
from ..scoring.text_scores import LM_WEIGHTS
from ..search_results import Sentences
from .sentence_pipe import SentencePipe
from .sentences import Sentence, SentenceGold, cut_sentences, gold_starts, word_counts
from .settings import default_model, takes_settings, word_embedding

NATS = float(np.log(2.0))  # of a bit

DEFAULT_MODEL = default_model(
    "PhrasalLM",
    tok2vec=word_embedding(word_width=200, max_vocabulary=10_000),
    pyramid="words",
)
SETTINGS = {
    "max_words": 10_000,
    "grad_clip": 5.0,
    "unit_gradient": False,
    "skip_bad_batches": False,
    "max_vocabulary": 10_000,
    "min_freq": 1,
    "spelling_order": 4,
    "keep_weights": True,
    "keep_entropy": False,
    "scorer": {"@scorers": "spacy-structparse.lm_scorer.v1"},
}


class PhrasalLanguageModel(SentencePipe):
    """Reads sentences word by word and says how likely each next word was.

    Its labels are the words it predicts; all others are one unknown word, of which it learns only
    where there are such words in the training text.

    Args:
        max_vocabulary: Maximum number of words that are predicted, the most frequent ones. All
            others are one unknown word. 0: no limit.
        min_freq: Minimum frequency in training of these words. With 1, a training text that has at
            most ``max_vocabulary`` different words teaches nothing about unknown words: set 2
            there, and in the embedding too.
        spelling_order: The surprisal of an unknown word has the bits of its spelling, by n-grams
            of so many characters and fewer, which are counted over the vocabulary. It is read in
            ``initialize``. 0: none, so that all unknown words are as likely as the one that stands
            for them.
        keep_weights: Keep the weights of phrases with the Doc: a number for each pair of words in a
            sentence.
        keep_entropy: Compute the entropy of the next word after each word, and keep it with the
            Doc.
        settings: See :class:`~spacy_structparse.pipeline.sentence_pipe.SentencePipe`.
    """

    max_vocabulary: int = 10_000
    min_freq: int = 1
    spelling_order: int = 4
    keep_weights: bool = True
    keep_entropy: bool = False

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        check_whole(f"[{name}]", "max_vocabulary", self.max_vocabulary)
        check_whole(f"[{name}]", "spelling_order", self.spelling_order)
        self.cfg["spelling_order"] = 0  # that of the words; pipelines of before have none
        self.cfg["n_unknown"] = None  # tokens of the training text outside the vocabulary, if known

    # --- vocabulary ---------------------------------------------------------------------------

    def prepare(self) -> None:
        self._row_of = RowIndex(hashes_of(self.cfg["labels"]))
        self._spelling: Spelling | None = None
        self._order = self.cfg.get("spelling_order", 0)
        check_whole("its cfg", "spelling_order", self._order)

    def _spelling_bits(self, word: str) -> float:
        """Bits of the spelling of an unknown word. The first one has the model counted."""
        if self._spelling is None:
            self._spelling = Spelling(self.cfg["labels"], self._order)
        return self._spelling.bits(word)

    def _targets(self, doc: Doc) -> np.ndarray:
        """(len(doc),) the row of each word in the vocabulary; 0 is the unknown word."""
        return self._row_of(doc.to_array("ORTH"))

    @property
    def _end(self) -> int:
        return len(self.cfg["labels"]) + 1

    def choose_labels(
        self, get_examples: Callable[[], Iterable[Example]], labels: list[str] | None
    ) -> list[str]:
        self.cfg["spelling_order"] = self.spelling_order
        self.cfg["n_unknown"] = None
        if labels is None:
            references = (example.reference for example in get_examples())
            counts = count_vocabulary(references, "TAG")["words"]
            labels = sorted(most_frequent(counts, self.min_freq, self.max_vocabulary))
            if not labels:
                raise ValueError(
                    f"[{self.name}] there is no word to learn: of {sum(counts.values())} tokens "
                    f"none occurs min_freq = {self.min_freq} times"
                )
            self.cfg["n_unknown"] = sum(counts.values()) - sum(counts[word] for word in labels)
        return list(labels)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: list[str] | dict[str, Any] | None = None,
    ) -> None:
        super().initialize(get_examples, nlp=nlp, labels=labels)
        self._check_embedding(get_examples)

    def _check_embedding(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Raise ValueError for token vectors that depend on what follows the token."""
        tok2vec = self.model.get_ref("tok2vec")
        if any("listener" in node.name for node in tok2vec.walk()):
            raise self._sees_ahead()
        for example in get_examples():
            doc = example.reference
            if len(doc) > 1:
                parts = [doc[: len(doc) // 2].as_doc(), doc]
                alone, whole = (tok2vec.ops.to_numpy(tok2vec.predict([part])[0]) for part in parts)
                if not np.allclose(alone, whole[: len(alone)], rtol=1e-4, atol=1e-5):
                    raise self._sees_ahead()
                return

    def _sees_ahead(self) -> ValueError:
        return ValueError(
            f"[{self.name}] its tok2vec is shared, or sees the words that follow a word: give it "
            "an embedding of its own, spacy-structparse.TokenEmbedding.v1"
        )

    # --- training -----------------------------------------------------------------------------

    def gold_sentences(self, examples: list[Example]) -> list[SentenceGold]:
        docs = [example.predicted for example in examples]
        sentences = cut_sentences(docs, [gold_starts(example) for example in examples])
        targets = [self._targets(doc) for doc in docs]
        return [SentenceGold(s, self._with_end(targets[s.doc][s.tokens])) for s in sentences]

    def _with_end(self, targets: np.ndarray) -> np.ndarray:
        return np.append(targets, self._end)

    def model_batch(self, sentences: list[Sentence], targets: list[np.ndarray]) -> LMBatch:
        return LMBatch(word_counts(sentences), torch.from_numpy(np.concatenate(targets)))

    # --- reading ------------------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> list[list[tuple[Sentence, Predicted]]]:
        """Find the sentences of each Doc with their predictions."""
        docs = list(docs)
        found: list[list[tuple[Sentence, Predicted]]] = [[] for _ in docs]
        targets = [self._targets(doc) for doc in docs]
        for batch, reading in self.outputs_of(docs):
            texts = [self._with_end(targets[s.doc][s.tokens]) for s in batch]
            self._check_unknown(texts)
            self._check_length(batch[0])
            predictions = reading.surprisals(
                torch.from_numpy(np.concatenate(texts)),
                phrase_weights=self.keep_weights,
                entropy=self.keep_entropy,
            )
            for sentence, predicted in zip(batch, predictions, strict=True):
                found[sentence.doc].append((sentence, predicted))
        return found

    def _check_unknown(self, texts: list[np.ndarray]) -> None:
        """Warn of an unknown word if training had none."""
        if self.cfg.get("n_unknown") == 0 and any(UNKNOWN in text for text in texts):
            warnings.warn(
                f"[{self.name}] unknown words have no meaningful surprisal, since training had "
                "none: retrain with min_freq = 2 in the component and in its tok2vec",
                stacklevel=2,
            )

    def _check_length(self, longest: Sentence) -> None:
        """Warn of a sentence that has phrases which are left out."""
        settings = self._shim.settings
        max_phrase = settings["max_phrase"]
        if settings["pyramid"] != "none" and 0 < max_phrase < len(longest.tokens):
            self.warn_of_length(
                longest,
                f"longer than max_phrase = {max_phrase}: its phrases of more words are left out",
                "max_phrase",
            )

    def set_annotations(
        self, docs: Iterable[Doc], found: list[list[tuple[Sentence, Predicted]]]
    ) -> None:
        """Store surprisal and the weights of phrases."""
        for doc, sentences in zip(docs, found, strict=True):
            clear_surprisal(doc)
            unknown = self._targets(doc) == UNKNOWN
            words = doc.to_array("ORTH")
            for sentence, predicted in sentences:
                tokens = sentence.tokens
                is_unknown = unknown[tokens]
                spelling = {}
                if self._order:
                    rows = np.flatnonzero(is_unknown).tolist()
                    keys = words[tokens[rows]].tolist()
                    texts = (doc.vocab.strings[key] for key in keys)
                    spelling = dict(zip(rows, map(self._spelling_bits, texts), strict=True))
                set_surprisal(
                    doc,
                    tokens.tolist(),
                    (predicted.surprisal / NATS).tolist(),
                    [of_word.tolist() for of_word in predicted.weights],
                    is_unknown=is_unknown.tolist(),
                    spelling=spelling,
                    entropy=(predicted.entropy / NATS).tolist()[1:],
                )

    # --- making up sentences --------------------------------------------------------------------

    def sample(
        self,
        n: int = 1,
        *,
        generator: torch.Generator,
        start: Sequence[str] = (),
        temperature: float = 1.0,
        max_words: int = 60,
    ) -> list[list[str]]:
        """Sample sentences word by word from the model's distribution, without the unknown word.

        Args:
            n: The number of sentences.
            generator: Of random numbers; equal seeds give equal sentences.
            start: The words that all sentences begin with.
            temperature: Below 1, likely words become likelier. 0: always the likeliest word.
            max_words: Longer sentences are cut off.
        """
        self._require_built()
        if not 0 <= temperature < math.inf:
            raise ValueError(f"[{self.name}] temperature is {temperature}, it must be 0 or more")
        sentences = [list(start) for _ in range(n)]
        active = list(range(n))
        while active and len(sentences[active[0]]) < max_words:
            docs = [Doc(self.vocab, words=sentences[i]) for i in active]
            lengths = np.array([len(doc) for doc in docs])
            batch = SentenceBatch(np.arange(lengths.sum()), Sentences(lengths))
            (reading,) = self.model.predict((docs, [batch]))
            scores = reading.next_word().cpu().clone()  # decoding's tensors cannot be changed
            scores[:, UNKNOWN] = -torch.inf
            if temperature > 1e-6:  # with less, scores would be infinite
                shares = (scores / temperature).softmax(1)
                chosen = torch.multinomial(shares, 1, generator=generator)[:, 0].tolist()
            else:
                chosen = scores.argmax(1).tolist()
            for i, row in zip(active, chosen, strict=True):
                if row != self._end:
                    sentences[i].append(self.labels[row - 1])
            active = [i for i, row in zip(active, chosen, strict=True) if row != self._end]
        return sentences


@Language.factory(
    "phrasal_lm",
    assigns=[
        "doc._.perplexity",
        "span._.perplexity",
        "doc._.known_perplexity",
        "span._.known_perplexity",
        "token._.surprisal",
        "token._.is_unknown",
        "token._.spelling_surprisal",
        "span._.surprisal",
        "token._.end_surprisal",
        "token._.entropy",
        "token._.phrase_attention",
    ],
    default_config={"model": DEFAULT_MODEL, **SETTINGS},
    default_score_weights=LM_WEIGHTS,
)
@removed_settings("Words are told apart by their text.", word_attr="ORTH")
@removed_settings("Each sentence is read by itself.", context_sentences=0)
@takes_settings(PhrasalLanguageModel, SETTINGS)
def make_phrasal_lm(
    nlp: Language, name: str, model: Model, **settings: Any
) -> PhrasalLanguageModel:
    """A language model of sentences ("Phrasal Recurrent Neural Network", §2 and §3)."""
    return PhrasalLanguageModel(nlp.vocab, model, name, **settings)
