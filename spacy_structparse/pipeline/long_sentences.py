"""Sentences that are too long to be parsed as a whole: they are parsed in parts, which are joined.

A part is a sentence of its own to the model. Time and memory then grow with the length of a
sentence and no longer with its square.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from spacy.tokens import Doc

from ..brackets import Bracket
from .sentences import ENDS, Sentence


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
    tokens_of: dict[tuple[int, int], list[np.ndarray]] = defaultdict(list)
    for part in parts:
        tokens_of[part.place].append(part.tokens + part.offset)
    joined: list[int] = []
    for tokens in map(np.concatenate, tokens_of.values()):
        first, *others = np.sort(tokens[heads[tokens] == tokens]).tolist()
        heads[others] = first
        joined += others
    return np.array(joined, dtype=np.int64)


def join_trees(trees: Sequence[list[Bracket]]) -> list[Bracket]:
    """Join the trees of the parts of a sentence under a bracket with the label of the first tree.

    Args:
        trees: The brackets of each part, in pre-order, over the same numbering of words.

    Returns:
        The brackets of the sentence, in pre-order.
    """
    brackets = [bracket for tree in trees for bracket in tree]
    if not brackets:
        return []
    start, end = min(b.start for b in brackets), max(b.end for b in brackets)
    return [Bracket(brackets[0].label, start, end), *brackets]
