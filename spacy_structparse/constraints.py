"""Constraints on a parse, and the rows of a search that keep them."""

from collections import Counter
from collections.abc import Sequence
from copy import copy
from typing import Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor

T = TypeVar("T")


class Constraint(Protocol):
    """The derivation of a sentence, which knows the actions that keep what is known of its parse.

    After an allowed action some sequence of legal actions ends in a parse that keeps all of it.
    """

    def allowed(self) -> np.ndarray:
        """(n_actions,) bool; illegal actions may be True."""
        ...

    def apply(self, action: int) -> None:
        """Take an action, in place."""
        ...


def copied(derivation: T) -> T:
    """Copy a derivation, with its lists, which it changes as it goes on."""
    other = copy(derivation)
    for name, value in vars(derivation).items():
        if isinstance(value, list):
            setattr(other, name, value.copy())
    return other


class ConstrainedRows:
    """The constraints of the rows of a search: ``width`` hypotheses of each sentence.

    Args:
        constraints: The constraint of each sentence; None: everything is allowed.
        width: Hypotheses of a sentence.
    """

    def __init__(self, constraints: Sequence[Constraint | None], width: int = 1) -> None:
        self._rows = [constraint for constraint in constraints for _ in range(width)]
        self._allowed: dict[int, np.ndarray] = {}  # of rows, until the next action

    def mask(self, scores: Tensor) -> None:
        """Set the scores of actions that are not allowed to -inf, in place.

        A row without a legal action that is allowed keeps its scores.

        Args:
            scores: (M, n_actions) of the first M rows, illegal actions at -inf.
        """
        bound = [(i, row) for i, row in enumerate(self._rows[: len(scores)]) if row is not None]
        if bound:
            rows = scores.new_tensor([i for i, _ in bound], dtype=torch.long)
            allowed = np.stack([self._allowed_in(i, row) for i, row in bound])
            of_rows = scores.index_select(0, rows)
            refused = ~scores.new_tensor(allowed, dtype=torch.bool)
            masked = of_rows.masked_fill(refused, -torch.inf)
            goes_on = masked.amax(1, keepdim=True) > -torch.inf
            scores.index_copy_(0, rows, torch.where(goes_on, masked, of_rows))

    def apply(self, actions: Tensor, parents: Tensor | None = None) -> None:
        """Take an action in each of the first M rows; the others are dropped.

        Args:
            actions: (M,) actions. A row whose action is not allowed, since no other one was left,
                loses its constraint.
            parents: (M,) the row that each one continues; None: itself.
        """
        taken = actions.tolist()
        sources = range(len(taken)) if parents is None else parents.tolist()
        uses = Counter(sources)
        rows: list[Constraint | None] = []
        for action, source in zip(taken, sources, strict=True):
            row = self._rows[source]
            if row is not None:
                allowed = self._allowed_in(source, row)[action]
                row = copied(row) if uses[source] > 1 else row
                if allowed:
                    row.apply(action)
                else:
                    row = None
            rows.append(row)
        self._rows = rows
        self._allowed = {}

    def _allowed_in(self, place: int, row: Constraint) -> np.ndarray:
        """The allowed actions of a row, found once a step."""
        if place not in self._allowed:
            self._allowed[place] = row.allowed()
        return self._allowed[place]

    def keep(self, rows: Sequence[int]) -> None:
        """Keep some rows, in this order."""
        self._rows = [self._rows[row] for row in rows]
        self._allowed = {}
