"""States of derivations with open brackets, for the top-down and in-order linearizations."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Protocol, Self

import torch
from torch import Tensor

END, WORD, OPEN, CLOSE = range(4)
BRACKETS_PER_WORD = 2


class Bounds(Protocol):
    """The bounds of a linearization's derivations, and the order of its actions."""

    max_run: int
    max_depth: int
    spare_brackets: int
    first_open: int
    first_close: int
    closing_labels: bool


@dataclass
class OpenBracketState(ABC):
    """B derivations side by side.

    Attributes:
        linearization: Its bounds and the order of its actions.
        kind_of: (n_actions,) END, WORD, OPEN or CLOSE.
        label_of: (n_actions,) the index of the label, or -1.
        reads: (B, longest+1) the action that reads each word; None if all words share action 1.
        n: (B,) words of the sentence.
        t: (B,) words read.
        top: (B,) the start of the topmost element of the stack, PADDING at first.
        depth: (B,) brackets open now.
        opened: (B,) brackets opened so far.
        run: (B,) the number that `max_run` bounds.
        last: (B,) the kind of the last action, END before the first.
        starts: (B, at most max_depth+2) the starts of the open brackets, the outermost at 1;
            PADDING at 0. Entries above the innermost have no meaning.
        labels: The same for the labels' indices.
        finished: (B,) bool.
    """

    linearization: Bounds
    kind_of: Tensor
    label_of: Tensor
    reads: Tensor | None
    n: Tensor
    t: Tensor
    top: Tensor
    depth: Tensor
    opened: Tensor
    run: Tensor
    last: Tensor
    starts: Tensor
    labels: Tensor
    finished: Tensor

    def __len__(self) -> int:
        return len(self.n)

    @abstractmethod
    def _legal_kinds(self, room: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """(B,) bool for END, WORD, OPEN and CLOSE, without meaning for a finished sentence.

        ``room`` is (B,) bool: the sentence may have one more bracket.
        """

    @abstractmethod
    def _start_of_opened(self) -> Tensor:
        """(B,) the start of a bracket that is opened now."""

    @abstractmethod
    def _next_run(self, opens: Tensor, closes: Tensor, words: Tensor) -> Tensor:
        """(B,) `run` after an action of a kind."""

    @property
    def word_actions(self) -> slice | None:
        """The actions that read a word, if words have different ones."""
        return None if self.reads is None else slice(1, self.linearization.first_open)

    def legal_mask(self) -> Tensor:
        """(B, n_actions) bool."""
        room = self.opened < BRACKETS_PER_WORD * self.n + self.linearization.spare_brackets
        end, word, opens, close = self._legal_kinds(room)
        kinds = torch.stack([end | self.finished, word, opens, close], dim=1)
        kinds[:, WORD:] &= ~self.finished[:, None]
        mask = kinds.index_select(1, self.kind_of)
        first_open, first_close = self.linearization.first_open, self.linearization.first_close
        if self.reads is not None:
            reads = self.reads.gather(1, self.t[:, None])
            words = torch.arange(1, first_open, device=reads.device)
            mask[:, 1:first_open] &= words == reads
        if self.linearization.closing_labels:
            innermost = self.labels.gather(1, self.depth[:, None])
            mask[:, first_close:] &= self.label_of[first_close:] == innermost
        return mask

    def apply(self, actions: Tensor) -> None:
        """Take one legal action in every row, in place."""
        kinds = self.kind_of[actions].masked_fill(self.finished, END)
        words, opens, closes = kinds == WORD, kinds == OPEN, kinds == CLOSE
        start = self._start_of_opened()
        closed = self.starts.gather(1, self.depth[:, None])[:, 0]
        above = (self.depth + 1)[:, None]
        self.starts.scatter_(1, above, start[:, None])
        self.labels.scatter_(1, above, self.label_of[actions][:, None])
        self.run = self._next_run(opens, closes, words)
        self.top = torch.where(
            words, self.t, torch.where(opens, start, torch.where(closes, closed, self.top))
        )
        self.t = self.t + words
        self.depth = self.depth + opens.long() - closes.long()
        self.opened = self.opened + opens
        self.last = kinds
        self.finished = self.finished | (kinds == END)

    def boundaries(self) -> Tensor:
        """(B, 5) the positions (0, r, s, t, n), as those of `OpenBrackets.boundaries`."""
        below = (self.depth - (self.last == OPEN).long())[:, None]
        r = self.starts.gather(1, below)[:, 0]
        return torch.stack([torch.zeros_like(self.n), r, self.top, self.t, self.n], dim=1)

    @property
    def keeps_boundaries(self) -> bool:
        """False: every action may change them."""
        return False

    def select(self, rows: Tensor) -> Self:
        """The state of other rows."""
        fields = "n t top depth opened run last starts labels finished".split()
        chosen = {field: getattr(self, field).index_select(0, rows) for field in fields}
        chosen["reads"] = None if self.reads is None else self.reads.index_select(0, rows)
        return replace(self, **chosen)
