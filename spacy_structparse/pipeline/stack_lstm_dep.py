"""``stack_lstm_dep``: the stack-LSTM dependency parser (Dyer et al. 2015)."""

from collections.abc import Callable, Iterable

import numpy as np
import torch
from spacy.language import Language
from thinc.api import Config, Model

from ..nn.forced import collate
from ..scoring.attachment import DEFAULT_SCORE_WEIGHTS
from ..transitions.arc_standard import (
    LEFT,
    RIGHT,
    SHIFT,
    ActionSet,
    Derivation,
    OracleError,
    arcs_from_actions,
    derive,
    oracle,
)
from ..transitions.dynamic_oracle import GoldTree
from ..transitions.partial_oracle import PartialOracle, partial_oracle
from .beam_search import BeamSearch
from .dependency import DependencyPipe
from .gold import GoldSentence, projectivized, tree_problem
from .sentences import Sentence

DEFAULT_CONFIG = """
[model]
@architectures = "spacy-structparse.StackLSTM.v1"
hidden_width = 100
hidden_depth = 2
element_width = 100
action_width = 16
state_width = 100
composition = true
cell = "torch"
root = "last"
beam_width = 1
label_smoothing = 0.0
encoder_width = 125
encoder_depth = 2
direct = true
exploration = 0.3
bfloat16 = true
mixed_precision = false

[model.tok2vec]
@architectures = "spacy-structparse.TokenEmbedding.v1"
width = 100
word_width = 32
use_pos = false
pos_width = 12
pos_attr = "TAG"
use_vectors = false
tune_vectors = false
features = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
feature_rows = [5000, 2500, 2500, 2500]
feature_width = 32
relu = true
word_attr = "ORTH"
unk_prob = 0.5
min_freq = 1
vocabulary = null
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]


@Language.factory(
    "stack_lstm_dep",
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config={
        "model": DEFAULT_MODEL,
        "max_words": 20_000,
        "grad_clip": 5.0,
        "min_label_freq": 1,
        "scorer": {"@scorers": "spacy-structparse.dependency_scorer.v1"},
    },
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
def make_stack_lstm_dep(
    nlp: Language,
    name: str,
    model: Model,
    max_words: int,
    grad_clip: float,
    min_label_freq: int,
    scorer: Callable | None,
) -> "StackLSTMParser":
    """The factory: see :class:`StackLSTMParser` and ``spacy-structparse.StackLSTM.v1``."""
    return StackLSTMParser(
        nlp.vocab,
        model,
        name,
        scorer=scorer,
        max_words=max_words,
        grad_clip=grad_clip,
        min_label_freq=min_label_freq,
    )


class StackLSTMParser(BeamSearch, DependencyPipe):
    """Arc-standard parsing with stack LSTMs. Non-projective arcs are lifted for training and put
    back after parsing."""

    def prepare(self) -> None:
        self.action_set = ActionSet(self.labels)

    def gold_labels(self, gold: GoldSentence) -> Iterable[str]:
        lifted = projectivized(gold)
        return (
            label
            for i, (head, label) in enumerate(zip(lifted.heads, lifted.labels, strict=True))
            if head not in (i, -1)
        )

    def read_output(
        self, output: torch.Tensor, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        return arcs_from_actions(output.cpu().numpy(), lengths, self.action_set)

    def collate(self, gold: list[GoldSentence]) -> tuple[list[Sentence], object]:
        sentences: list[Sentence] = []
        derivations: list[Derivation] = []
        actions: list[np.ndarray] = []
        allowed: list[np.ndarray | None] = []
        trees: list[GoldTree | None] = []
        for one in gold:
            problem = tree_problem(one.heads)
            if problem:
                self.skip(problem, one)
                continue
            lifted = projectivized(one)
            heads = np.array(lifted.heads)
            labels = np.array([self._label(label) for label in lifted.labels])
            try:
                partial = None if lifted.is_complete else partial_oracle(lifted.heads)
                moves = oracle(lifted.heads) if partial is None else partial.moves.tolist()
            except OracleError as error:
                self.skip(f"cannot be derived ({error})", one)
                continue
            derivation = derive(moves)
            chosen, targets = self._targets(derivation, partial, heads, labels)
            sentences.append(one.sentence)
            derivations.append(derivation)
            actions.append(chosen)
            allowed.append(targets)
            trees.append(GoldTree(heads, labels) if partial is None else None)
        if not sentences:
            return [], None
        return sentences, collate(derivations, actions, self.action_set, allowed, trees=trees)

    def _label(self, label: str) -> int:
        """A label's index; a lifted arc's label that is not known falls back to its own part."""
        index = self.action_set.label_index(label)
        if index < 0 and "||" in label:
            index = self.action_set.label_index(label.partition("||")[0])
        return index

    def _targets(
        self,
        derivation: Derivation,
        partial: PartialOracle | None,
        heads: np.ndarray,
        labels: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """The gold action of every state, and the set of right actions where it is not one.

        Where a label is unknown, every label of the arc's direction is right."""
        moves, label_of = derivation.moves, labels[derivation.dependents_at]
        actions = self.action_set.actions_of(moves, label_of)
        if partial is None:
            if (label_of[moves != SHIFT] >= 0).all():
                return actions, None
            return actions, self.action_set.right_actions(moves, label_of)
        top, below = derivation.stack_words()
        allowed = np.zeros((len(moves), len(self.action_set)), dtype=bool)
        for move, head, dependent in ((SHIFT, top, top), (LEFT, top, below), (RIGHT, below, top)):
            label = np.where(heads[dependent] == head, labels[dependent], -1)
            right = self.action_set.right_actions(np.full(len(top), move), label)
            allowed |= right & partial.allowed[:, move, None]
        return actions, allowed
