"""Unlabelled binary trees that are split where phrases end.

A tree over n words is the list of its 2n - 1 spans (start, end), ``end`` exclusive, in pre-order,
single words among them.
"""

from collections.abc import Callable

import numpy as np

Spans = list[tuple[int, int]]


def split_at_boundaries(strengths: np.ndarray) -> Spans:
    """Split spans at their strongest boundary, from the whole sentence down.

    The method is that of Shen et al. (2018, "Neural Language Modeling by Jointly Learning Syntax
    and Lexicon"). Of equally strong boundaries the first is taken, so that equal strengths branch
    to the right.

    Args:
        strengths: (n - 1,) strength of the boundary after each word but the last.
    """
    return split_spans(
        len(strengths) + 1, lambda start, end: start + 1 + int(strengths[start : end - 1].argmax())
    )


def split_spans(n: int, split: Callable[[int, int], int]) -> Spans:
    """Split every span of several words where the function says."""
    spans: Spans = []
    waiting = [(0, n)] if n else []
    while waiting:
        start, end = waiting.pop()
        spans.append((start, end))
        if end - start > 1:
            middle = split(start, end)
            waiting += [(middle, end), (start, middle)]
    return spans
