"""``seq2seq_constituency``: constituency trees by sequence-to-sequence parsers."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..brackets import Bracket
from ..constraints import Constraint
from ..extensions.confidence import clear_bracket_confidence, set_bracket_confidence
from ..models.checks import check_constrained
from ..nn.seq2seq.batch import Seq2SeqBatch
from ..scoring.constituency import DEFAULT_SCORE_WEIGHTS
from ..search_results import Derivations
from ..transitions.constituency.interface import Linearization
from ..transitions.constituency.registry import load_linearization
from ..transitions.constituency.top_down import TopDown
from ..transitions.constituency.unconstrained import repair
from ..trees.doc import build_trees
from ..trees.span_group import SPANS_KEY, set_brackets
from .gold_trees import GoldTree, gold_trees
from .k_best import ScoredTree, find_k_best, merged
from .loading import strings_in
from .long_sentences import join_trees
from .sentences import Sentence, mark_as_one_sentence, word_counts
from .seq2seq import Seq2SeqPipe, Trace
from .settings import default_embedding, default_model, takes_settings
from .tree_actions import needs_heads, read_linearization, target_actions
from .tree_constraints import CONSTRAINTS_KEY, check_kept, with_known_spans

DEFAULT_MODEL = default_model(
    "Seq2Seq",
    tok2vec=default_embedding(width=128, word_width=64),
    encoder="bilstm",
    encoder_width=200,
    encoder_depth=2,
    decoder="lstm",
    decoder_width=200,
    action_width=32,
    context_width=200,
    readout_width=200,
)
SETTINGS = {
    "max_words": 4_000,
    "max_sentence": 500,
    "grad_clip": 5.0,
    "spans_key": SPANS_KEY,
    "confidence": False,
    "scorer": {"@scorers": "spacy-structparse.constituency_scorer.v1"},
}


class TreeParse(NamedTuple):
    """The trees of a Doc.

    Attributes:
        brackets: Their brackets over the Doc's tokens, in pre-order.
        confidence: How sure brackets are; None where it was not asked for.
    """

    brackets: list[Bracket]
    confidence: dict[Bracket, float] | None = None


Parses = list[TreeParse]


class Seq2SeqConstituencyParser(Seq2SeqPipe):
    """Writes the trees of a doc's sentences to ``doc.spans[spans_key]``.

    A doc without sentence starts is parsed as one sentence and marked as one, so that ``doc.sents``
    works, unless it plainly has several. Nothing else of the doc is touched. A sentence without
    words has no tree. What is known of trees in ``doc.spans["constituency_constraints"]`` is kept.
    For settings see :class:`spacy_structparse.pipeline.sentence_pipe.SentencePipe`. Trees that were
    decoded without constraints have no confidence.
    """

    calibrated = ("brackets",)
    linearization: Linearization

    spans_key: str = SPANS_KEY

    def __init__(self, vocab: Vocab, model: Model, name: str, **settings: Any) -> None:
        super().__init__(vocab, model, name, **settings)
        self.cfg["labels"] = {}
        # Of decoding without constraints: outputs, malformed outputs, and what was wrong with them.
        self.malformed: Counter[str] = Counter()

    @property
    def constrained(self) -> bool:
        """True if all decoded actions are legal. Can be changed after loading.

        False: the outputs of a ``top_down`` parser are repaired, and counted in ``malformed``.
        """
        return self._shim.settings["constrained"]

    @constrained.setter
    def constrained(self, constrained: bool) -> None:
        settings = self._shim.settings
        check_constrained(
            f"[{self.name}]", constrained, settings["linearization"], [self.attention]
        )
        settings["constrained"] = constrained

    @property
    def attention(self) -> str:
        """The kind of attention, as the architecture names it."""
        return self._shim.settings["attention"]

    @property
    def action_names(self) -> Sequence[str]:
        return self.linearization.names

    # --- labels -------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of brackets, sorted: NP, VP, … The actions are ``action_names``."""
        if not self.cfg["labels"]:
            return ()
        name = self._shim.settings["linearization"]
        return load_linearization(name, self.cfg["labels"]).labels

    @property
    def label_data(self) -> dict[str, Any]:
        """The arguments of the linearization, as ``spacy init labels`` stores them.

        They are more than the labels: unary chains, or what may stand for a word, and bounds.
        """
        return dict(self.cfg["labels"])

    def prepare(self) -> None:
        name = self._shim.settings["linearization"]
        self.linearization = load_linearization(name, self.cfg["labels"])
        self.reads = self.linearization.reads

    def store_labels(self) -> None:
        for label in strings_in(self.cfg.get("labels", {})):
            self.vocab.strings.add(label)

    # --- training -----------------------------------------------------------------------------

    def choose_labels(
        self, get_examples: Callable[[], Iterable[Example]], labels: dict[str, Any] | None
    ) -> dict[str, Any]:
        if labels is None:
            settings, where = self._shim.settings, f"[{self.name}]"
            labels = read_linearization(get_examples, settings, self.spans_key, where)
        return dict(labels)

    def gold_sentences(self, examples: list[Example]) -> list[GoldTree]:
        heads = needs_heads(self._shim.settings)
        return gold_trees(examples, self.reads, heads=heads, spans_key=self.spans_key)

    def target(self, gold: GoldTree) -> Any:
        return target_actions(gold, self.linearization, self._shim.settings)

    def model_batch(self, sentences: list[Sentence], targets: list[Any]) -> Seq2SeqBatch:
        actions, positions, trees = zip(*targets, strict=True)
        n_words, n_actions = word_counts(sentences).tolist(), len(self.linearization)
        return Seq2SeqBatch.from_actions(n_words, actions, n_actions, positions, trees=trees)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score the trees in the span group that the parser writes."""
        return super().score(examples, **{"spans_key": self.spans_key, **kwargs})

    # --- parsing ------------------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Parses:
        """Find the brackets of each Doc, and how sure they are if that is asked for."""
        docs = list(docs)
        decoded: list[tuple[Sentence, np.ndarray]] = []
        confidence: list[dict[Bracket, float]] = [{} for _ in docs]
        for batch, search in self.outputs_of(docs):
            if self.confidence and self.constrained:
                for sentence, of_brackets in zip(batch, search.confidence(), strict=True):
                    confidence[sentence.doc] |= self._calibrated(sentence, of_brackets)
            decoded += zip(batch, search.best().actions, strict=True)
        trees: list[list[Bracket]] = [[] for _ in docs]
        decoded.sort(key=lambda pair: pair[0].order)
        for (doc, _), parts in groupby(decoded, lambda pair: pair[0].place):
            of_parts = [self._decoded_tree(docs[doc], *part) for part in parts]
            trees[doc] += of_parts[0] if len(of_parts) == 1 else join_trees(of_parts)
        if not (self.confidence and self.constrained):
            return [TreeParse(brackets) for brackets in trees]
        return [TreeParse(*of_doc) for of_doc in zip(trees, confidence, strict=True)]

    def with_known(self, docs: list[Doc], sentences: list[Sentence]) -> list[Sentence]:
        if any(CONSTRAINTS_KEY in doc.spans for doc in docs):
            return with_known_spans(self, docs, sentences)
        return sentences

    def constraint(self, sentence: Sentence) -> Constraint | None:
        known = sentence.known
        return known and self.linearization.constraint(known, len(sentence.tokens))

    def _calibrated(
        self, sentence: Sentence, confidence: dict[Bracket, float]
    ) -> dict[Bracket, float]:
        """The calibrated confidence of brackets over words, of brackets over tokens; 1 of those
        that are known."""
        calibrated = self.calibration["brackets"](np.array(list(confidence.values())))
        of_brackets = dict(zip(confidence, calibrated.tolist(), strict=True))
        for limits, labels in (sentence.known or {}).items():
            of_brackets |= {Bracket(label, *limits): 1.0 for label in labels}
        brackets = self._over_tokens(sentence, list(of_brackets))
        return dict(zip(brackets, of_brackets.values(), strict=True))

    def tree(self, doc: Doc, sentence: Sentence, actions: list[int]) -> list[Bracket]:
        brackets = self.linearization.brackets(actions, len(sentence.tokens))
        if sentence.known:
            check_kept(self, doc, sentence, brackets)
        return brackets

    def _decoded_tree(self, doc: Doc, sentence: Sentence, actions: np.ndarray) -> list[Bracket]:
        """The brackets of a sentence's actions, over the Doc's tokens. They are repaired if
        decoding is unconstrained."""
        if self.constrained or not isinstance(self.linearization, TopDown):
            return self._over_tokens(sentence, self.tree(doc, sentence, actions.tolist()))
        repaired = repair(self.linearization, actions.tolist(), len(sentence.tokens))
        self.malformed.update([*repaired.problems, "outputs"])
        self.malformed["malformed outputs"] += repaired.malformed
        return self._over_tokens(sentence, repaired.brackets)

    @staticmethod
    def _over_tokens(sentence: Sentence, tree: list[Bracket]) -> list[Bracket]:
        """Brackets over the words of a sentence as brackets over the Doc's tokens."""
        words = sentence.tokens.tolist()
        if words[-1] == len(words) - 1:  # the Doc's tokens are the sentence's words
            return tree
        return [Bracket(label, words[i], words[j - 1] + 1) for label, i, j in tree]

    def trace(self, docs: Iterable[Doc]) -> list[list[Trace]]:
        if not self.constrained:
            raise ValueError(f"[{self.name}] constrained is false: such outputs have no traces")
        return super().trace(docs)

    def set_annotations(self, docs: Iterable[Doc], parses: Parses) -> None:
        """Write the trees, and remove those that the Docs had; mark Docs of one sentence."""
        for doc, (brackets, confidence) in zip(docs, parses, strict=True):
            set_brackets(doc, brackets, self.spans_key)
            if confidence is not None:
                set_bracket_confidence(doc, confidence, self.spans_key)
            elif doc.user_data:
                clear_bracket_confidence(doc, self.spans_key)
            mark_as_one_sentence(doc)

    # --- the k best parses --------------------------------------------------------------------

    k_best = find_k_best

    def scored_parses(
        self, doc: Doc, sentence: Sentence, hypotheses: Derivations, k: int
    ) -> list[ScoredTree]:
        trees = [tuple(self.tree(doc, sentence, taken.tolist())) for taken in hypotheses.actions]
        if not trees and sentence.known:
            check_kept(self, doc, sentence, ())
        parses = []
        for place, log_probability in merged(trees, hypotheses.log_probs, k):
            brackets = self._over_tokens(sentence, list(trees[place]))
            (tree,) = build_trees(doc, brackets)
            parses.append(ScoredTree(tree, tuple(brackets), log_probability))
        return parses

    def set_k_best(self, doc: Doc, parses: Sequence[ScoredTree]) -> None:
        """Write one of the parses of each sentence to a Doc, as parsing does."""
        brackets = [bracket for parse in parses for bracket in parse.brackets]
        self.set_annotations([doc], [TreeParse(brackets)])


@Language.factory(
    "seq2seq_constituency",
    assigns=["doc.spans", "doc._.constituency_tree"],
    default_config={"model": DEFAULT_MODEL, **SETTINGS},
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
@takes_settings(Seq2SeqConstituencyParser, SETTINGS)
def make_seq2seq_constituency(
    nlp: Language, name: str, model: Model, **settings: Any
) -> Seq2SeqConstituencyParser:
    """A parser of constituency trees: an encoder, and a decoder of actions (Vinyals et al.
    2015, Ma et al. 2017).

    Args:
        spans_key: The span group that trees are written to, and that gold trees are read from in
            training and scoring. The attributes ``._.constituency_tree``, ``._.labels``, … read
            ``constituency``.
    """
    return Seq2SeqConstituencyParser(nlp.vocab, model, name, **settings)
