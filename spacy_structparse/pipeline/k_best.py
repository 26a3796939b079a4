"""The k best parses of a Doc, which every parser gives."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from spacy.pipeline._parser_internals import nonproj
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..brackets import Bracket
from ..models.checks import check_whole
from ..search_results import ScoredArcs
from ..transitions.dependency.arc_standard import ROOT_LABEL
from ..transitions.dependency.known_arcs import KnownArcs
from ..trees import Tree
from .sentences import by_doc

# Several hypotheses of a beam may be one parse.
HYPOTHESES_PER_PARSE = 4


@dataclass(frozen=True)
class ScoredDependencies:
    """A dependency tree of a sentence.

    Attributes:
        tokens: The indices in the Doc of the sentence's words.
        heads: The index in the Doc of the head of each word. The root is its own head.
        labels: The label of each word.
        log_probability: The natural logarithm of the probability of the heads. With the graph
            decoder it is that of the tree among all trees; with transitions, that of all hypotheses
            of the beam which have these heads, a lower bound. The labels are the best ones found
            for these heads.
    """

    tokens: tuple[int, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]
    log_probability: float


@dataclass(frozen=True)
class ScoredTree:
    """A constituency tree of a sentence.

    Attributes:
        tree: The tree.
        brackets: Its brackets in pre-order, over the Doc's tokens.
        log_probability: The natural logarithm of the probability of all hypotheses of the beam that
            are this tree, a lower bound of its own.
    """

    tree: Tree
    brackets: tuple[Bracket, ...]
    log_probability: float


def find_k_best(
    self: Any, doc: Doc, k: int = 5, *, beam_width: int | None = None
) -> list[list[Any]]:
    """Find the k best parses of each sentence of a Doc, which is not changed.

    The Doc needs what the parser's embedding reads (tags, or a ``tok2vec`` before it).
    Sentences are the Doc's own, as in parsing; one of more than ``max_sentence`` words is
    parsed as a whole here.

    Args:
        doc: The Doc.
        k: The number of parses.
        beam_width: Hypotheses kept by a parser that decodes by actions. None: four for each
            parse, or the parser's own ``beam_width`` if that is more.

    Returns:
        For each sentence with a word in it distinct parses, best first. They are k, or fewer
        where there are no more, or where the beam has found no more.

    Raises:
        ValueError: ``k`` or ``beam_width`` is less than 1.
        ConstraintError: No parse was found that keeps what is known of the Doc.
    """
    own = getattr(self, "beam_width", 1)
    width = max(own, HYPOTHESES_PER_PARSE * k) if beam_width is None else beam_width
    for name, number in (("k", k), ("beam_width", width)):
        check_whole(f"[{self.name}]", name, number, 1)
    of_sentences = [
        (sentence, self.scored_parses(doc, sentence, hypotheses, k))
        for batch, search in self.outputs_of([doc], whole=True)
        for sentence, hypotheses in zip(batch, search.k_best(k, width), strict=True)
    ]
    return by_doc(of_sentences, 1)[0]


def distinct_trees(
    hypotheses: ScoredArcs, k: int, labels: Sequence[str], known: KnownArcs | None
) -> ScoredArcs:
    """Select the k best trees of the hypotheses of a sentence.

    Args:
        hypotheses: The hypotheses, best first. Lifted arcs are put back to their heads.
        k: The number of trees.
        labels: The labels of the parser, without the root's.
        known: What the trees must keep; None: nothing.
    """
    heads, of_arcs = deprojectivize(hypotheses.heads, hypotheses.labels, labels)
    is_kept = [known is None or known.is_kept(*tree) for tree in zip(heads, of_arcs, strict=True)]
    places = np.flatnonzero(is_kept)
    trees = [tuple(tree) for tree in heads[places].tolist()]
    best = merged(trees, hypotheses.log_probs[places], k)
    first = places[[place for place, _ in best]]
    return ScoredArcs(heads[first], of_arcs[first], np.array([total for _, total in best]))


def deprojectivize(
    heads: np.ndarray, labels: np.ndarray, label_names: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Put lifted arcs back to their heads, as spaCy does in a Doc.

    Args:
        heads: (K, n) heads of K parses of a sentence, the root its own.
        labels: (K, n) indices of labels, some of which name the label of the head that the arc was
            lifted from; -1 at roots.
        label_names: The names of labels, without the root's.

    Returns:
        The same with every arc at its own head. A label that is not among those of the actions
        without that name keeps it.
    """
    names = [*label_names, ROOT_LABEL]
    lifted = np.array([nonproj.is_decorated(name) for name in names])
    heads, labels = heads.copy(), labels.copy()
    for row in np.flatnonzero(lifted[labels].any(1)).tolist():
        words = ["_"] * heads.shape[1]
        deps = [names[label] for label in labels[row].tolist()]
        doc = Doc(Vocab(), words=words, heads=heads[row].tolist(), deps=deps)
        nonproj.deprojectivize(doc)
        heads[row] = [token.head.i for token in doc]
        labels[row] = [
            names.index(token.dep_) if token.dep_ in label_names else label
            for token, label in zip(doc, labels[row].tolist(), strict=True)
        ]
    return heads, labels


Key = TypeVar("Key", bound=Hashable)


def merged(parses: Sequence[Key], log_probs: np.ndarray, k: int) -> list[tuple[int, float]]:
    """Merge equal parses by adding their probabilities.

    Args:
        parses: Parses, the more probable ones first.
        log_probs: Their log probabilities.
        k: The number of parses wanted.

    Returns:
        The first place and the log probability of each of the k best distinct parses, best first.
    """
    first: dict[Key, int] = {}
    total: dict[Key, float] = {}
    for place, (parse, log_prob) in enumerate(zip(parses, log_probs.tolist(), strict=True)):
        first.setdefault(parse, place)
        total[parse] = float(np.logaddexp(total.get(parse, -np.inf), log_prob))
    best = sorted(total, key=lambda parse: -total[parse])[:k]
    return [(first[parse], total[parse]) for parse in best]
