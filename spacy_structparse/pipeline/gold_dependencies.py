"""Gold heads and labels of an Example, cut into sentences of the predicted doc's tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from spacy.pipeline._parser_internals import nonproj
from spacy.training import Example

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
        """Whether the heads of all tokens are known."""
        return UNKNOWN_HEAD not in self.heads

    @property
    def arc_labels(self) -> Iterator[str]:
        """The labels of the arcs between words, without the root's."""
        for i, (head, label) in enumerate(zip(self.heads, self.labels, strict=True)):
            if head not in (i, UNKNOWN_HEAD):
                yield label


def gold_tokens(example: Example) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Heads (index in the predicted Doc, -1: unknown), labels and sentence starts of its tokens."""
    x, y = example.predicted, example.reference
    n = len(x)
    if same_tokens(example):
        attrs = y.to_array(["HEAD", "DEP", "SENT_START"])
        # A token without a label has no known head (spaCy's Token.has_head).
        heads = np.where(
            attrs[:, 1] != 0, attrs[:, 0].astype(np.int64) + np.arange(n), UNKNOWN_HEAD
        )
        strings = y.vocab.strings
        labels = [strings[key] if key else "" for key in attrs[:, 1].tolist()]
        return heads, labels, attrs[:, 2] == 1
    aligned_heads, aligned_labels = example.get_aligned_parse(projectivize=False)
    heads = np.array(
        [
            UNKNOWN_HEAD if head is None or not label else head
            for head, label in zip(aligned_heads, aligned_labels, strict=True)
        ],
        dtype=np.int64,
    )
    return heads, [label or "" for label in aligned_labels], gold_starts(example)


def gold_sentences(examples: Sequence[Example]) -> list[GoldSentence]:
    """The gold sentences of a batch, by the aligned gold sentence starts.

    A head outside its sentence, or on a whitespace token, counts as unknown.
    """
    gold = [gold_tokens(example) for example in examples]
    docs = [example.predicted for example in examples]
    result = []
    for sentence in cut_sentences(docs, [starts for _, _, starts in gold]):
        heads, labels, _ = gold[sentence.doc]
        tokens = sentence.tokens
        of = heads[tokens]
        at = np.minimum(np.searchsorted(tokens, of), len(tokens) - 1)
        local = np.where((of >= 0) & (tokens[at] == of), at, UNKNOWN_HEAD).tolist()
        own = [labels[t] if h >= 0 else "" for t, h in zip(tokens.tolist(), local, strict=True)]
        result.append(GoldSentence(sentence, local, own))
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
    roots = [i for i, head in enumerate(heads) if head == i]
    if len(roots) > 1:
        return f"{len(roots)} roots"
    if UNKNOWN_HEAD not in heads and not roots:
        return "no root"
    state = [0] * len(heads)  # 0 unseen, 1 on the path, 2 done
    for start in range(len(heads)):
        path = []
        token = start
        while state[token] == 0:
            state[token] = 1
            path.append(token)
            head = heads[token]
            if head in (token, UNKNOWN_HEAD):
                break
            token = head
            if state[token] == 1:
                return "a cycle"
        for seen in path:
            state[seen] = 2
    return None


def is_root_label(label: str) -> bool:
    """Whether a label is spaCy's for the root, which treebanks also write in lower case."""
    return label.upper() == ROOT_LABEL
