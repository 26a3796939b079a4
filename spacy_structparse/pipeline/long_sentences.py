"""Sentences that are too long to be parsed as a whole: they are parsed in parts, which are joined.

A part is a sentence of its own to the model. Time and memory then grow with the length of a
sentence and no longer with its square.
"""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from spacy.tokens import Doc

from ..brackets import Bracket
from ..models.checks import check_not_negative
from .loading import CheckedLoading
from .sentences import ENDS, Sentence


class LongSentences(CheckedLoading):
    """Mixin of components that parse long sentences in parts."""

    _max_sentence = 0
    _warned_of_length = False

    @property
    def max_sentence(self) -> int:
        """The maximum number of words in a sentence that is parsed as a whole; 0: no limit. Can be
        changed after loading."""
        return self._max_sentence

    @max_sentence.setter
    def max_sentence(self, n_words: int) -> None:
        check_not_negative(f"[{self.name}]", "max_sentence", n_words)
        self._max_sentence = n_words

    def parts(self, sentence: Sentence, doc: Doc) -> list[Sentence]:
        """The parts that a sentence is parsed in. Warns of the first that is cut."""
        if not self.max_sentence or len(sentence.tokens) <= self.max_sentence:
            return [sentence]
        if self.is_constrained(sentence, doc):
            return [sentence]
        parts = parts_of(sentence, doc, self.max_sentence)
        problem = (
            f"longer than max_sentence = {self.max_sentence}: it is parsed in {len(parts)} parts, "
            "which are joined"
        )
        self.warn_of_length(sentence, problem, "max_sentence")
        return parts

    def is_constrained(self, sentence: Sentence, doc: Doc) -> bool:
        """Whether something is known of a long sentence, which is then parsed as a whole."""
        return False

    def warn_of_length(self, sentence: Sentence, problem: str, setting: str) -> None:
        """Warn of the first sentence that is too long to be read as shorter ones are."""
        if self._warned_of_length:
            return
        self._warned_of_length = True
        first, last = sentence.tokens[[0, -1]]
        warnings.warn(
            f"[{self.name}] a sentence of {len(sentence.tokens)} words (doc {sentence.doc} of its "
            f"batch, tokens {first} to {last}) is {problem}. Put a 'senter' or 'sentencizer' "
            f"before this component if these are several sentences, or raise {setting}; further "
            "ones are not reported",
            stacklevel=2,
        )


def parts_of(sentence: Sentence, doc: Doc, max_words: int) -> list[Sentence]:
    """Cut a sentence into parts of at most ``max_words`` words.

    A part ends after the last mark that may end a sentence, if there is one in the second half of
    what fits. Otherwise the rest of the sentence is cut evenly.

    Args:
        sentence: The sentence.
        doc: Its Doc.
        max_words: At least 1.

    Returns:
        The parts in order. A sentence that is short enough is its only part, unchanged.
    """
    words = sentence.tokens
    n = len(words)
    if n <= max_words:
        return [sentence]
    orths = doc.to_array("ORTH")[words].tolist()
    after_ends = np.array([i for i, orth in enumerate(orths, 1) if orth in ENDS])
    cuts = [0]
    while n - cuts[-1] > max_words:
        start = cuts[-1]
        fitting = after_ends[
            (after_ends > start + max_words // 2) & (after_ends <= start + max_words)
        ]
        n_parts = -(-(n - start) // max_words)
        cuts.append(int(fitting[-1]) if len(fitting) else start - (start - n) // n_parts)
    begins = int(words[0])
    return [replace(sentence, tokens=part, part_of=begins) for part in np.split(words, cuts[1:])]


def join_roots(parts: Sequence[Sentence], heads: np.ndarray) -> np.ndarray:
    """Make the first root of each cut sentence the head of its other roots, in place.

    Args:
        parts: All parts of cut sentences.
        heads: (N,) heads of the tokens of all Docs of the call, a root its own.

    Returns:
        The roots that have a head now.
    """
    rows_of: dict[int, list[np.ndarray]] = defaultdict(list)
    for part in parts:
        assert part.part_of is not None
        rows_of[part.offset + part.part_of].append(part.tokens + part.offset)
    joined = [np.zeros(0, dtype=np.int64)]
    for found in rows_of.values():
        rows = np.sort(np.concatenate(found))
        first, *others = rows[heads[rows] == rows]
        heads[others] = first
        joined.append(np.array(others, dtype=np.int64))
    return np.concatenate(joined)


def join_trees(trees: Sequence[list[Bracket]]) -> list[Bracket]:
    """Join the trees of the parts of a sentence under a bracket with the label of the first tree.

    Args:
        trees: The brackets of each part, in pre-order, over the same numbering of words.

    Returns:
        The brackets of the sentence, in pre-order. Those of a sentence that is not cut are its own.
    """
    brackets = [bracket for tree in trees for bracket in tree]
    if len(trees) == 1 or not brackets:
        return brackets
    start, end = min(b.start for b in brackets), max(b.end for b in brackets)
    return [Bracket(brackets[0].label, start, end), *brackets]
