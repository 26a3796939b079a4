"""``stack_lstm_dep``: the stack-LSTM dependency parser (Dyer et al. 2015)."""

from typing import Any

from spacy.language import Language
from thinc.api import Model

from ..nn.stack_lstm.batch import StackLSTMBatch
from ..removed_settings import removed_settings
from ..scoring.attachment import DEFAULT_SCORE_WEIGHTS
from .arc_standard import ArcStandardPipe, Target
from .dependency import ALL_LABELS, ALTERNATIVES
from .sentences import Sentence
from .settings import BEAM_WIDTH, default_embedding, default_model, takes_settings

DEFAULT_MODEL = default_model(
    "StackLSTM",
    tok2vec=default_embedding(width=100, word_width=32),
    state_width=100,
    encoder_width=125,
    encoder_depth=2,
    direct=True,
)
SETTINGS = {
    "max_words": 20_000,
    "grad_clip": 5.0,
    "confidence": False,
    "scorer": {"@scorers": "spacy-structparse.dependency_scorer.v1"},
}


class StackLSTMParser(ArcStandardPipe):
    """Arc-standard parsing with stack LSTMs."""

    beam_width = BEAM_WIDTH

    def model_batch(self, sentences: list[Sentence], targets: list[Target]) -> StackLSTMBatch:
        derivations, actions, allowed, trees = zip(*targets, strict=True)
        return StackLSTMBatch.from_derivations(
            derivations, actions, self.action_set, allowed, trees=trees
        )


@Language.factory(
    "stack_lstm_dep",
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config={"model": DEFAULT_MODEL, **SETTINGS},
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
@removed_settings(ALL_LABELS, min_label_freq=1)
@removed_settings(ALTERNATIVES, unique_labels=[])
@takes_settings(StackLSTMParser, SETTINGS)
def make_stack_lstm_dep(nlp: Language, name: str, model: Model, **settings: Any) -> StackLSTMParser:
    """The stack-LSTM dependency parser (Dyer et al. 2015): arc-standard transitions."""
    return StackLSTMParser(nlp.vocab, model, name, **settings)
