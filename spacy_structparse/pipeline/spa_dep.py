"""``spa_dep``: graph-based or transition-based parsing with sequence-preserved attention."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from ..errors import ActionError
from ..models.spa import set_decoder
from ..nn.spa.graph_parser import ArcBatch
from ..nn.spa.transition_parser import MoveBatch
from ..removed_settings import removed_settings
from ..scoring.attachment import DEFAULT_SCORE_WEIGHTS
from .arc_standard import ArcStandardPipe, Target
from .dependency import ALL_LABELS, ALTERNATIVES, DependencyPipe
from .gold_dependencies import GoldSentence, tree_problem
from .sentences import Sentence, word_counts
from .settings import default_embedding, default_model, takes_settings

DEFAULT_MODEL = default_model(
    "SPA",
    tok2vec=default_embedding(width=128, word_width=64),
    encoder_width=200,
    encoder_depth=2,
    scorer="biaffine",
    scorer_width=200,
    hidden_width=200,
)
SETTINGS = {
    "max_words": 10_000,
    "max_sentence": 500,
    "grad_clip": 5.0,
    "confidence": False,
    "scorer": {"@scorers": "spacy-structparse.dependency_scorer.v1"},
}


class GraphSPAParser(DependencyPipe):
    """The parser of ``decoder = "graph"``: every word chooses its head, projective or not."""

    is_projective = False

    def arc_probabilities(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """Compute the probabilities of all heads, of each word for itself (Eq. 9).

        They are what the parser learns, a softmax of a row of scores, and know nothing of trees:
        two words may each be the likeliest head of the other. ``token._.head_confidence`` is the
        calibrated probability of the arc in the parse, among all trees. A model with ``head_loss =
        "max_margin"`` learns scores, and neither of the two.

        Sentences are the Doc's own, as in parsing. Between them, between the parts of one that is
        longer than ``max_sentence``, and for whitespace tokens, there is 0. The Docs need what the
        parser's embedding reads (tags, or a ``tok2vec`` before it). They may be parsed already,
        unless parsing cut them into sentences. If the likeliest heads are no tree, the parse has
        others.

        Returns:
            For each Doc an array (len(doc), len(doc)). Row i has the probabilities of the tokens
            as the head of token i, and on the diagonal that of being a root.
        """
        docs = list(docs)
        of_docs = [np.zeros((len(doc), len(doc)), dtype=np.float32) for doc in docs]
        for batch, search in self.outputs_of(docs):
            for sentence, probabilities in zip(batch, search.head_probabilities(), strict=True):
                own = np.ix_(sentence.tokens, sentence.tokens)
                of_docs[sentence.doc][own] = probabilities
        return of_docs

    def prepare(self) -> None:
        self._label_index = {label: i for i, label in enumerate(self.labels)}

    def target(self, gold: GoldSentence) -> tuple[list[int], list[int]]:
        if problem := tree_problem(gold.heads):
            raise ActionError(problem)
        arcs = enumerate(zip(gold.heads, gold.labels, strict=True))
        labels = [
            -1 if head == i else self._label_index.get(label, -1) for i, (head, label) in arcs
        ]
        return gold.heads, labels

    def model_batch(
        self, sentences: list[Sentence], targets: list[tuple[list[int], list[int]]]
    ) -> ArcBatch:
        heads, labels = (
            torch.from_numpy(np.concatenate(of_sentences))
            for of_sentences in zip(*targets, strict=True)
        )
        return ArcBatch(word_counts(sentences), heads, labels)


class TransitionSPAParser(ArcStandardPipe):
    """The parser of ``decoder = "transition"``: greedy arc-standard actions."""

    def model_batch(self, sentences: list[Sentence], targets: list[Target]) -> MoveBatch:
        derivations, actions, allowed, _ = zip(*targets, strict=True)
        return MoveBatch.from_derivations(derivations, actions, self.action_set, allowed)


PARSERS: dict[str, type[DependencyPipe]] = {
    "graph": GraphSPAParser,
    "transition": TransitionSPAParser,
}


@Language.factory(
    "spa_dep",
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    default_config={"model": DEFAULT_MODEL, "decoder": "graph", **SETTINGS},
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
@removed_settings(ALL_LABELS, min_label_freq=1)
@removed_settings(ALTERNATIVES, unique_labels=[])
@takes_settings(DependencyPipe, SETTINGS)
def make_spa_dep(
    nlp: Language,
    name: str,
    model: Model,
    decoder: str,
    **settings: Any,
) -> DependencyPipe:
    """The dependency parsers of "RNN-Based Sequence-Preserved Attention for Dependency Parsing".

    Args:
        decoder: The way of parsing. ``graph``: every word chooses its head, and where the result is
            no tree the best tree is found. ``transition``: greedy arc-standard transitions.
    """
    if decoder not in PARSERS:
        raise ValueError(f"[{name}] decoder is '{decoder}', choose one of {', '.join(PARSERS)}")
    set_decoder(model, decoder)
    return PARSERS[decoder](nlp.vocab, model, name, **settings)
