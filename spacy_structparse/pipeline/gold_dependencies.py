"""Gold heads and labels of an Example, cut into sentences of the predicted doc's tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from spacy.pipeline._parser_internals import nonproj
from spacy.training import Example

from ..cycles import find_cycle
from ..transitions.dependency.arc_standard import ROOT_LABEL
from .sentences import Sentence, cut_sentences, gold_starts, same_tokens

UNKNOWN_HEAD = -1


@dataclass(frozen=True)
class GoldSentence:
    """A sentence with its gold arcs.

    Attributes:
        heads: Heads within the sentence. The root is its own head; -1: unknown.
        labels: Labels; "" where unknown.
    """

    sentence: Sentence
    heads: list[int]
    labels: list[str]

    @property
    def is_complete(self) -> bool:
        """True if the heads of all tokens are known."""
        return UNKNOWN_HEAD not in self.heads

    @property
    def arc_labels(self) -> Iterator[str]:
        """The labels of the arcs between words, without the root's."""
        for i, (head, label) in enumerate(zip(self.heads, self.labels, strict=True)):
            if head not in (i, UNKNOWN_HEAD):
                yield label


def _gold_arcs(example: Example) -> tuple[np.ndarray, list[str]]:
    """Heads (index in the predicted Doc, -1: unknown) and labels of the predicted Doc's tokens."""
    gold = example.reference
    if same_tokens(example):
        attrs = gold.to_array(["HEAD", "DEP"])
        heads = attrs[:, 0].astype(np.int64) + np.arange(len(gold))
        labels = [gold.vocab.strings[key] if key else "" for key in attrs[:, 1].tolist()]
    else:
        aligned_heads, aligned_labels = example.get_aligned_parse(projectivize=False)
        heads = np.array([UNKNOWN_HEAD if head is None else head for head in aligned_heads], int)
        labels = [label or "" for label in aligned_labels]
    # A token without a label has no known head (spaCy's Token.has_head).
    heads[[label == "" for label in labels]] = UNKNOWN_HEAD
    return heads, labels


def gold_sentences(examples: Sequence[Example]) -> list[GoldSentence]:
    """The gold sentences of a batch, by the aligned gold sentence starts.

    A head outside its sentence, or on a whitespace token, counts as unknown.
    """
    gold = [_gold_arcs(example) for example in examples]
    docs = [example.predicted for example in examples]
    result = []
    for sentence in cut_sentences(docs, [gold_starts(example) for example in examples]):
        all_heads, all_labels = gold[sentence.doc]
        tokens = sentence.tokens
        heads = all_heads[tokens]
        places = np.minimum(np.searchsorted(tokens, heads), len(tokens) - 1)
        is_inside = (heads >= 0) & (tokens[places] == heads)
        own = np.where(is_inside, places, UNKNOWN_HEAD).tolist()
        labels = [
            all_labels[t] if h >= 0 else "" for t, h in zip(tokens.tolist(), own, strict=True)
        ]
        result.append(GoldSentence(sentence, own, labels))
    return result


def projectivized(gold: GoldSentence) -> GoldSentence:
    """Lift non-projective arcs and decorate their labels (Nivre & Nilsson 2005, by spaCy).

    Only complete trees can be lifted; others are returned unchanged.
    """
    if not gold.is_complete or not nonproj.is_nonproj_tree(gold.heads):
        return gold
    heads, labels = nonproj.projectivize(list(gold.heads), list(gold.labels))
    return GoldSentence(gold.sentence, heads, labels)


def tree_problem(heads: Sequence[int]) -> str | None:
    """The reason why known heads are no tree with one root, or None."""
    n_roots = sum(head == word for word, head in enumerate(heads))
    if n_roots > 1:
        return f"{n_roots} roots"
    if UNKNOWN_HEAD not in heads and not n_roots:
        return "no root"
    word_on_cycle = find_cycle([None if head == UNKNOWN_HEAD else head for head in heads])
    return None if word_on_cycle is None else "a cycle"


def is_root_label(label: str) -> bool:
    """Return True if a label is spaCy's for the root, which treebanks also write in lower case."""
    return label.upper() == ROOT_LABEL
