"""``seq2seq_constituency``: phrase-structure trees by sequence-to-sequence parsers."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Config, Model

from ..models.parser_model import SentenceBatch
from ..nn.forced_actions import collate
from ..nn.seq2seq_decode import Decoded, ToParse
from ..scoring.constituency import DEFAULT_SCORE_WEIGHTS
from ..transitions.constituency import Bracket, BracketError, Linearization
from ..transitions.linearizations import build_linearization, load_linearization
from ..trees.doc import Bracket as TokenBracket
from ..trees.doc import set_brackets
from .gold_trees import GoldTree, gold_trees
from .loading import strings_in
from .parser import SentenceParser, token_rows
from .sentences import Sentence, cut_sentences

DEFAULT_CONFIG = """
[model]
@architectures = "spacy-structparse.Seq2Seq.v1"
linearization = "bottom_up"
encoder = "bilstm"
encoder_width = 200
encoder_depth = 2
reverse = true
attention = "datt-bound"
decoder = "lstm"
decoder_width = 200
decoder_depth = 1
cell = "torch"
action_width = 32
context_width = 200
readout_width = 200
label_smoothing = 0.0
beam_width = 1
bfloat16 = true
mixed_precision = false

[model.tok2vec]
@architectures = "spacy-structparse.TokenEmbedding.v1"
width = 128
word_width = 64
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
Parses = list[list[TokenBracket]]


@Language.factory(
    "seq2seq_constituency",
    assigns=["doc.spans", "doc._.constituency_tree"],
    default_config={
        "model": DEFAULT_MODEL,
        "max_words": 4_000,
        "grad_clip": 5.0,
        "scorer": {"@scorers": "spacy-structparse.constituency_scorer.v1"},
    },
    default_score_weights=DEFAULT_SCORE_WEIGHTS,
)
def make_seq2seq_constituency(
    nlp: Language,
    name: str,
    model: Model,
    max_words: int,
    grad_clip: float,
    scorer: Callable | None,
) -> "Seq2SeqConstituencyParser":
    """The factory: see :class:`Seq2SeqConstituencyParser` and ``spacy-structparse.Seq2Seq.v1``."""
    return Seq2SeqConstituencyParser(
        nlp.vocab, model, name, scorer=scorer, max_words=max_words, grad_clip=grad_clip
    )


class Seq2SeqConstituencyParser(SentenceParser):
    """Writes the trees of a doc's sentences to ``doc.spans["constituency"]``.

    Nothing else of the doc is touched. A sentence without words has no tree.
    """

    linearization: Linearization

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scorer: Callable | None = None,
        max_words: int = 4_000,
        grad_clip: float = 5.0,
    ) -> None:
        super().__init__(
            vocab, model, name, scorer=scorer, max_words=max_words, grad_clip=grad_clip
        )
        self.cfg["labels"] = {}

    @property
    def beam_width(self) -> int:
        """How many hypotheses decoding keeps; 1 is greedy. May be changed on a loaded pipeline."""
        return self._shim.settings["beam_width"]

    @beam_width.setter
    def beam_width(self, width: int) -> None:
        if width < 1:
            raise ValueError(f"[{self.name}] beam_width is {width}, it must be at least 1")
        self._shim.settings["beam_width"] = width

    # --- labels -------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the actions."""
        return tuple(self.linearization.names) if self.cfg["labels"] else ()

    @property
    def label_data(self) -> dict[str, Any]:
        """What the linearization is made of, as ``spacy init labels`` stores it."""
        return dict(self.cfg["labels"])

    def add_label(self, label: str) -> int:
        """Labels come from the training trees: always a ValueError."""
        raise ValueError(
            f"[{self.name}] label '{label}' cannot be added: labels, with the unary chains they "
            "stand in, come from the training trees in nlp.initialize(), or from the file of "
            "'spacy init labels' in [initialize.components]"
        )

    def prepare(self) -> None:
        name = self._shim.settings["linearization"]
        self.linearization = load_linearization(name, self.cfg["labels"])

    def _store_labels(self) -> None:
        for label in strings_in(self.cfg.get("labels", {})):
            self.vocab.strings.add(label)

    # --- training -----------------------------------------------------------------------------

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, Any] | None = None,
    ) -> None:
        """Read the actions (unless labels are given) and the embeddings' vocabulary from all
        examples and build the model. Raises ValueError where no example has a tree."""
        self.check_trainable()
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        if labels is None:
            labels = self._read_labels(get_examples)
        self.cfg["labels"] = dict(labels)
        self._store_labels()
        self.build_model(get_examples)

    def _read_labels(self, get_examples: Callable[[], Iterable[Example]]) -> dict[str, Any]:
        treebank: list[list[Bracket]] = []
        problems: set[str] = set()
        for examples in minibatch(get_examples(), size=256):
            for gold in gold_trees(list(examples)):
                if gold.problem is None:
                    treebank.append(gold.brackets)
                else:
                    problems.add(gold.problem)
        if not treebank:
            found = f" (of its sentences: {', '.join(sorted(problems))})" if problems else ""
            raise ValueError(
                f"[{self.name}] the training data has no trees{found}: the docs need "
                'doc.spans["constituency"], as "spacy structparse convert" writes it from '
                "bracketed trees"
            )
        name = self._shim.settings["linearization"]
        return build_linearization(name, treebank).settings()

    def gold_sentences(self, examples: list[Example]) -> list[GoldTree]:
        return gold_trees(examples)

    def collate(self, gold: list[GoldTree]) -> tuple[list[Sentence], Any]:
        sentences: list[Sentence] = []
        actions: list[list[int]] = []
        positions: list[np.ndarray] = []
        for one in gold:
            if one.problem is not None:
                self.skip(one.problem, one)
                continue
            n = len(one.sentence.tokens)
            try:
                taken = self.linearization.oracle(one.brackets, n)
            except BracketError as error:
                self.skip(str(error), one)
                continue
            sentences.append(one.sentence)
            actions.append(taken)
            positions.append(self.linearization.boundaries(taken, n))
        if not sentences:
            return [], None
        lengths = [len(sentence.tokens) for sentence in sentences]
        return sentences, collate(lengths, actions, len(self.linearization), positions)

    # --- parsing ------------------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Parses:
        """The brackets of each doc, (label, start, end) over its tokens, in pre-order."""
        docs = list(docs)
        brackets: Parses = [[] for _ in docs]
        if not any(len(doc) for doc in docs):
            return brackets
        self._require_built()
        packed = self.packed(cut_sentences(docs))
        batches = [
            SentenceBatch(token_rows(batch), ToParse(np.array([len(s.tokens) for s in batch])))
            for batch in packed
        ]
        outputs: list[Decoded] = self.model.predict((docs, batches))
        found: dict[tuple[int, int], list[TokenBracket]] = {}
        for batch, output in zip(packed, outputs, strict=True):
            for sentence, actions in zip(batch, output.actions, strict=True):
                tokens = sentence.tokens.tolist()
                tree = self.linearization.brackets(actions.tolist(), len(tokens))
                found[sentence.doc, tokens[0]] = [
                    (label, tokens[i], tokens[j - 1] + 1) for i, j, label in tree
                ]
        for doc, start in sorted(found):
            brackets[doc] += found[doc, start]
        return brackets

    def set_annotations(self, docs: Iterable[Doc], parses: Parses) -> None:
        """Write the trees, in place of those that the docs had."""
        for doc, brackets in zip(docs, parses, strict=True):
            set_brackets(doc, brackets)
