"""Counts of a corpus: docs, sentences, words and tags."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from spacy.tokens import Doc

from ..extensions.multiword import MULTIWORD
from ..trees.words import sentences_of, words_of

QUANTILES = {"shortest": 0.0, "median": 0.5, "90 %": 0.9, "99 %": 0.99, "longest": 1.0}
LENGTH_BINS = (1, 6, 11, 21, 31, 41, 61, 81, 101, 201, 501)


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
        return {
            "docs": self.docs,
            "empty_docs": self.empty_docs,
            "docs_without_sentence_starts": self.docs_without_sentence_starts,
            "sentences": len(self.sentence_lengths),
            "words": self.words,
            "word_types": len(self.word_counts),
            "words_seen_once": sum(n == 1 for n in self.word_counts.values()),
            "whitespace_tokens": self.whitespace_tokens,
            "multiword_tokens": self.multiword_tokens,
            "words_without_tag": self.words_without_tag,
            "words_without_pos": self.words_without_pos,
            "words_without_morphology": self.words_without_morphology,
            "words_without_lemma": self.words_without_lemma,
            "sentence_lengths": length_quantiles(self.sentence_lengths),
            "sentence_length_histogram": length_histogram(self.sentence_lengths),
            "longest_sentence": self.longest_sentence,
            "tags": dict(self.tags.most_common()),
        }


def place(doc: int, first: int, last: int) -> str:
    """How reports name a sentence: the index of its Doc and of its first and last word."""
    return f"doc {doc}, tokens {first} to {last}"


def unknown_words(known: Counter[str], others: Counter[str]) -> dict[str, float]:
    """The shares of another corpus' tokens and types that are not in the first."""
    new = {word: n for word, n in others.items() if word not in known}
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


def length_histogram(lengths: Sequence[int]) -> dict[str, int]:
    """Sentences by number of words: {"1-5": …, …, "501-": …}, up to the longest."""
    counts: dict[str, int] = {}
    for low, after in zip(LENGTH_BINS, (*LENGTH_BINS[1:], None), strict=True):
        if low > max(lengths, default=0):
            break
        name = f"{low}-" if after is None else f"{low}-{after - 1}"
        counts[name] = sum(low <= n and (after is None or n < after) for n in lengths)
    return counts
