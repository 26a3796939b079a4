"""Counts of a corpus: docs, sentences, words, tags and trees."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
from spacy.tokens import Doc, Span

from ..brackets import Bracket, nesting_depth
from ..errors import TreeError
from ..extensions.multiword import MULTIWORD
from ..trees import SPANS_KEY, get_brackets
from ..trees.words import sentences_of, words_of

QUANTILES = {"shortest": 0.0, "median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}


@dataclass
class CorpusStatistics:
    """Counts over Docs given one by one to :meth:`add`. Words are tokens but whitespace."""

    docs: int = 0
    empty_docs: int = 0
    docs_without_sentence_starts: int = 0
    words: int = 0
    whitespace_tokens: int = 0
    multiword_tokens: int = 0
    words_without_tag: int = 0
    words_without_pos: int = 0
    words_without_morphology: int = 0  # with neither a part of speech nor features
    words_without_lemma: int = 0
    sentence_lengths: list[int] = field(default_factory=list)
    longest_sentence: str = ""
    word_counts: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)

    def add(self, doc: Doc, number: int) -> None:
        """Count a Doc; number: its index in the corpus, to name places by."""
        self.docs += 1
        self.empty_docs += not len(doc)
        self.docs_without_sentence_starts += bool(len(doc)) and not doc.has_annotation("SENT_START")
        self.multiword_tokens += len(doc.spans.get(MULTIWORD, ()))
        self.whitespace_tokens += sum(token.is_space for token in doc)
        for sent in sentences_of(doc):
            words = words_of(sent)
            if len(words) > max(self.sentence_lengths, default=0):
                self.longest_sentence = place(number, words[0].i, words[-1].i)
            self.sentence_lengths.append(len(words))
            self.words += len(words)
            self.word_counts.update(token.text for token in words)
            self.tags.update(token.tag_ for token in words if token.tag)
            self.words_without_tag += sum(not token.tag for token in words)
            self.words_without_pos += sum(not token.pos for token in words)
            self.words_without_morphology += sum(
                not token.pos and not token.has_morph() for token in words
            )
            self.words_without_lemma += sum(not token.lemma for token in words)

    def to_dict(self) -> dict[str, Any]:
        """All counts, fit for JSON; words as their number."""
        counts = {name: n for name, n in vars(self).items() if isinstance(n, int | str)}
        return {
            **counts,
            "sentences": len(self.sentence_lengths),
            "word_types": len(self.word_counts),
            "words_seen_once": sum(n == 1 for n in self.word_counts.values()),
            "sentence_lengths": length_quantiles(self.sentence_lengths),
            "tags": dict(self.tags.most_common()),
        }


def place(doc: int, first: int, last: int) -> str:
    """Name a sentence in reports: the index of its Doc and of its first and last word."""
    return f"doc {doc}, tokens {first} to {last}"


def unknown_words(words: Counter[str], others: Counter[str]) -> dict[str, float]:
    """The shares of another corpus' tokens and types that are not in the first."""
    new = {word: n for word, n in others.items() if word not in words}
    return {
        "tokens": sum(new.values()) / max(1, others.total()),
        "types": len(new) / max(1, len(others)),
    }


def length_quantiles(lengths: Sequence[int]) -> dict[str, int]:
    """Shortest, median, 90 %, 99 % and longest; empty for no lengths."""
    if not lengths:
        return {}
    values = np.quantile(lengths, list(QUANTILES.values()), method="inverted_cdf")
    return {name: int(value) for name, value in zip(QUANTILES, values, strict=True)}


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
        except TreeError as error:
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
        result = {
            **vars(self),
            "labels": dict(self.labels.most_common()),
            "unary_chains": dict(self.unary_chains.most_common()),
            "depths": length_quantiles(self.depths),
        }
        del result["spans_key"]
        has_both = self.trees > len(self.only_trees)
        return result if has_both else {**result, "only_dependencies": [], "only_trees": []}
