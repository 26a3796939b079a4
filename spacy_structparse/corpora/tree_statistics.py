"""Counts of the constituency trees of a corpus, and of disagreements with other layers."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from spacy.tokens import Doc, Span

from ..brackets import Bracket, nesting_depth
from ..trees import SPANS_KEY, TreeAlignmentError, get_brackets
from ..trees.words import sentences_of, words_of
from .statistics import length_quantiles, place


@dataclass
class TreeStatistics:
    """Counts over Docs given one by one to :meth:`add`; places are texts that name a sentence.

    spans_key: the span group with the trees.
    depths: of each tree, its brackets on the longest path down. unary_chains: brackets over the
    same words, outermost first, as "S > VP". unreadable: Docs whose brackets cross or cut tokens.
    across_sentences: brackets over more than one sentence. words_outside: places of sentences with
    a tree that does not cover all their words. only_dependencies, only_trees: places of sentences
    with one layer in a corpus that has both.
    """

    spans_key: str = SPANS_KEY
    trees: int = 0
    labels: Counter[str] = field(default_factory=Counter)
    unary_chains: Counter[str] = field(default_factory=Counter)
    depths: list[int] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    across_sentences: list[str] = field(default_factory=list)
    words_outside: list[str] = field(default_factory=list)
    only_dependencies: list[str] = field(default_factory=list)
    only_trees: list[str] = field(default_factory=list)

    def add(self, doc: Doc, number: int) -> None:
        """Count a Doc; number: its index in the corpus, to name places by."""
        try:
            brackets = get_brackets(doc, self.spans_key) or []
        except TreeAlignmentError as error:
            self.unreadable.append(f"doc {number}: {error}")
            return
        self.labels.update(label for label, _, _ in brackets)
        for _, same in groupby(brackets, key=lambda bracket: bracket[1:]):
            chain = [label for label, _, _ in same]
            if len(chain) > 1:
                self.unary_chains[" > ".join(chain)] += 1
        at = 0  # brackets are in pre-order: sentence after sentence
        for sent in sentences_of(doc):
            first = at
            while at < len(brackets) and brackets[at].start < sent.end:
                at += 1
            self._add_sentence(sent, brackets[first:at], number)

    def _add_sentence(self, sent: Span, brackets: list[Bracket], number: int) -> None:
        words = [token.i for token in words_of(sent)]
        where = place(number, words[0], words[-1])
        has_dependencies = any(token.dep for token in sent)
        if not brackets:
            if has_dependencies:
                self.only_dependencies.append(where)
            return
        self.trees += 1
        if not has_dependencies:
            self.only_trees.append(where)
        self.depths.append(nesting_depth(brackets))
        if max(end for _, _, end in brackets) > sent.end:
            self.across_sentences.append(where)
        covered: set[int] = set()
        for _, start, end in brackets:
            covered.update(range(start, end))
        if not covered.issuperset(words):
            self.words_outside.append(where)

    def to_dict(self) -> dict[str, Any]:
        """All counts and places, fit for JSON."""
        both = bool(self.trees > len(self.only_trees))
        return {
            "trees": self.trees,
            "labels": dict(self.labels.most_common()),
            "unary_chains": dict(self.unary_chains.most_common()),
            "depths": length_quantiles(self.depths),
            "unreadable": self.unreadable,
            "across_sentences": self.across_sentences,
            "words_outside": self.words_outside,
            "only_dependencies": self.only_dependencies if both else [],
            "only_trees": self.only_trees if both else [],
        }
