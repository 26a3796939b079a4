"""``seq2seq_translation``: sentences in the words of another language."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..brackets import Bracket
from ..errors import ActionError
from ..models.checks import Limits, check_whole
from ..models.vocabulary import most_frequent
from ..nn.seq2seq.batch import Seq2SeqBatch
from ..scoring.text_scores import TRANSLATION_WEIGHTS, import_bleu, is_bleu
from ..transitions.word_sequence import WordSequence
from .sentences import Sentence, SentenceGold, by_doc, cut_sentences, word_counts
from .seq2seq import Seq2SeqPipe
from .settings import changeable, default_model, takes_settings, word_embedding

DEFAULT_MODEL = default_model(
    "Translation",
    tok2vec=word_embedding(word_width=256, max_vocabulary=16_000),
    encoder_width=256,
    decoder_width=256,
    word_width=256,
    readout_width=256,
    pyramid_width=256,
    label_smoothing=0.1,
)
SETTINGS = {
    "max_words": 2_000,
    "max_sentence": 500,
    "grad_clip": 1.0,
    "unit_gradient": False,
    "skip_bad_batches": False,
    "max_vocabulary": 16_000,
    "min_freq": 1,
    "scorer": {"@scorers": "spacy-structparse.translation_scorer.v1"},
}


class Seq2SeqTranslator(Seq2SeqPipe):
    """Writes ``doc._.translation``: words with spaces between them.

    A Doc with sentence starts is translated sentence by sentence, one without as a whole. It learns
    from Docs as a whole, from ``reference._.translation``, whose words spaces separate. Its labels
    are the words that it can write; all others are one unknown word, which it never writes.

    Args:
        max_vocabulary: Maximum number of words that can be written, the most frequent ones (§4.1).
            All others are one unknown word. 0: no limit. The setting of this name of
            ``TokenEmbedding.v1`` is about the words that are read.
        min_freq: Minimum frequency in training of these words.
        settings: See :class:`~spacy_structparse.pipeline.sentence_pipe.SentencePipe`.
    """

    max_vocabulary: int = 16_000
    min_freq: int = 1

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        check_whole(f"[{name}]", "max_vocabulary", self.max_vocabulary)

    length_penalty = changeable(
        "length_penalty",
        Limits(0),
        "The exponent of the length that ln p is divided by. Can be changed after loading.",
    )

    @property
    def action_names(self) -> Sequence[str]:
        return self.words.names

    def tree(self, doc: Doc, sentence: Sentence, actions: list[int]) -> list[Bracket]:
        return []

    def prepare(self) -> None:
        self.words = WordSequence(self.cfg["labels"], self._shim.settings["max_ratio"])

    def choose_labels(
        self, get_examples: Callable[[], Iterable[Example]], labels: list[str] | None
    ) -> list[str]:
        if is_bleu(self.scorer):
            import_bleu()  # not after hours of training, at the first evaluation
        if labels is None:
            counts = Counter(
                word for example in get_examples() for word in self._translation_of(example)
            )
            labels = sorted(most_frequent(counts, self.min_freq, self.max_vocabulary))
            if not labels:
                raise ValueError(
                    f"[{self.name}] of the {counts.total()} words of doc._.translation none occurs "
                    f"min_freq = {self.min_freq} times (a DocBin without store_user_data=True?)"
                )
        return list(labels)

    # --- training -----------------------------------------------------------------------------

    def _translation_of(self, example: Example) -> list[str]:
        """The words of a gold translation; none if there is no translation.

        Raises:
            ValueError: It is no string.
        """
        translation = example.reference._.translation
        if translation is None:
            return []
        if not isinstance(translation, str):
            problem = f"is {translation!r}: it must be a string or None"
            raise ValueError(f"[{self.name}] doc._.translation of the gold {problem}")
        return translation.split()

    def gold_sentences(self, examples: list[Example]) -> list[SentenceGold]:
        docs = [example.predicted for example in examples]
        whole = [np.arange(len(doc)) == 0 for doc in docs]
        return [
            SentenceGold(sentence, self._translation_of(examples[sentence.doc]))
            for sentence in cut_sentences(docs, whole)
        ]

    def target(self, gold: SentenceGold) -> list[int]:
        if not gold.target:
            raise ActionError("no translation")
        return self.words.oracle(gold.target)

    def model_batch(self, sentences: list[Sentence], targets: list[list[int]]) -> Seq2SeqBatch:
        return Seq2SeqBatch.from_actions(word_counts(sentences).tolist(), targets, len(self.words))

    # --- translating --------------------------------------------------------------------------

    def _check_starts(self, docs: Iterable[Doc]) -> None:
        """Warn of nothing: in training, too, a Doc is one text, whatever sentences it has."""

    def predict(self, docs: Iterable[Doc]) -> list[str]:
        """Translate each Doc; a Doc without words has an empty translation."""
        docs = list(docs)
        decoded = [
            pair
            for batch, search in self.outputs_of(docs)
            for pair in zip(batch, search.best().actions, strict=True)
        ]
        return [
            " ".join(word for actions in of_doc for word in self.words.words(actions.tolist()))
            for of_doc in by_doc(decoded, len(docs))
        ]

    def set_annotations(self, docs: Iterable[Doc], translations: list[str]) -> None:
        """Store the translations."""
        for doc, translation in zip(docs, translations, strict=True):
            doc._.translation = translation


@Language.factory(
    "seq2seq_translation",
    assigns=["doc._.translation"],
    default_config={"model": DEFAULT_MODEL, **SETTINGS},
    default_score_weights=TRANSLATION_WEIGHTS,
)
@takes_settings(Seq2SeqTranslator, SETTINGS)
def make_seq2seq_translation(
    nlp: Language, name: str, model: Model, **settings: Any
) -> Seq2SeqTranslator:
    """A translator of sentences ("Phrasal Recurrent Neural Network", §4)."""
    return Seq2SeqTranslator(nlp.vocab, model, name, **settings)
