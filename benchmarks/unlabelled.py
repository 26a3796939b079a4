"""Unlabelled F1 of induced trees, as the field scores them (Shen et al. 2018): by sentence, without
punctuation, and without the spans that every tree has."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

Span = tuple[int, int]


def without_words(spans: Iterable[Span], kept: Sequence[bool]) -> list[Span]:
    """Spans over the words that are kept, numbered anew. Those over none of them are left out."""
    place = np.concatenate([[0], np.cumsum(kept)]).tolist()
    found = [(place[start], place[end]) for start, end in spans]
    return [(start, end) for start, end in found if start < end]


def worth_scoring(spans: Iterable[Span], n: int) -> set[Span]:
    """The different spans of several words that are not the whole sentence of n words."""
    return {(start, end) for start, end in spans if 1 < end - start < n}


def unlabelled_f1(found: Collection[Span], gold: Collection[Span]) -> float:
    """F1 of two sets of spans. A sentence whose gold has nothing to find counts 1 where nothing is
    found, as a tree without error, else 0."""
    if not gold or not found:
        return float(not gold and not found)
    right = len(set(found) & set(gold))
    return 2 * right / (len(found) + len(gold))
