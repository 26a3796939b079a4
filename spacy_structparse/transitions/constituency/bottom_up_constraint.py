"""The bottom-up actions that keep known spans.

A binary tree none of whose nodes crosses a span has a node over it. So actions are refused after
which a node would cross one: to shift while the span that ends here is not yet one element, and to
combine an element in which a span begins with one before it, before that span ends.
"""

from copy import copy
from typing import Self

import numpy as np

from .bottom_up import COMBINE, FIRST_LABEL, JOINT, NO_LABEL, SHIFT, BottomUp
from .constraints import ImpossibleSpanError, KnownSpans


class BottomUpConstraint:
    """A derivation, as a :class:`~spacy_structparse.constraints.Constraint`.

    Args:
        linearization: The actions.
        known: The spans, none of which cross.
        n: The words of the sentence.

    Raises:
        ImpossibleSpanError: No unary chain has all labels of a span.
    """

    def __init__(self, linearization: BottomUp, known: KnownSpans, n: int) -> None:
        self._n = n
        self._any = np.ones(len(linearization), dtype=bool)
        self._labels: dict[tuple[int, int], np.ndarray] = {}
        self._widest: dict[int, int] = {}  # the first start of the spans that end at a fencepost
        for (start, end), labels in known.items():
            allowed = self._any.copy()
            allowed[NO_LABEL] = False
            allowed[FIRST_LABEL:] = [labels <= set(chain) for chain in linearization.chains]
            if not allowed[FIRST_LABEL:].any():
                named = JOINT.join(sorted(labels))
                raise ImpossibleSpanError(
                    (start, end),
                    f"has labels that stand in no unary chain of the training trees: {named}",
                )
            self._labels[start, end] = allowed
            self._widest[end] = min(start, self._widest.get(end, start))
        self._starts: list[int] = []  # of the elements on the stack
        self._end = 0
        self._to_label = False
        self._finished = False

    def allowed(self) -> np.ndarray:
        """(n_actions,) bool."""
        if self._finished or not self._starts:
            return self._any
        start, end = self._starts[-1], self._end
        if self._to_label:
            return self._labels.get((start, end), self._any)
        allowed = self._any.copy()
        allowed[SHIFT] = self._widest.get(end, start) >= start
        if len(self._starts) > 1:
            below = self._starts[-2]
            allowed[COMBINE] = not any(below < i < end < j for i, j in self._labels)
        return allowed

    def apply(self, action: int) -> None:
        """Take a legal action."""
        if self._finished:
            return
        if self._to_label:
            self._finished = self._end == self._n and len(self._starts) == 1
        elif action == SHIFT:
            self._starts.append(self._end)
            self._end += 1
        else:
            self._starts.pop()
        self._to_label = not self._to_label

    def copy(self) -> Self:
        """A derivation that goes on by itself."""
        other = copy(self)
        other._starts = self._starts.copy()
        return other
