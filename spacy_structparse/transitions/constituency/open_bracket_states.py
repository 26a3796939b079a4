"""Derivations of linearizations that open and close brackets: of one sentence, and of a batch.

Both ask the linearization what may come next, and where an opened bracket begins.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from .interface import PADDING, State

END, WORD, OPEN, CLOSE = range(4)
BRACKETS_PER_WORD = 2
NO_LABEL = -1


@dataclass
class OpenBracketState(State):
    """B derivations side by side.

    Attributes:
        linearization: An :class:`~.open_brackets.OpenBrackets`: the order and bounds of actions.
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
    """

    rows: ClassVar[tuple[str, ...]] = (
        *("reads", "n", "t", "top", "depth", "opened", "run", "last", "starts", "labels"),
        "finished",
    )

    linearization: Any
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

    @property
    def word_actions(self) -> slice | None:
        """The actions that read a word, if words have different ones."""
        return None if self.reads is None else slice(1, self.linearization.first_open)

    def legal_mask(self) -> Tensor:
        """(B, n_actions) bool."""
        room = self.opened < BRACKETS_PER_WORD * self.n + self.linearization.spare_brackets
        deeper = self.depth < self.linearization.max_depth
        longer = self.run < self.linearization.max_run
        end, word, opens, close = self.linearization.legal_kinds(self, room, deeper, longer)
        kinds = torch.stack([end | self.finished, word, opens, close], dim=1)
        kinds[:, WORD:] &= ~self.finished[:, None]
        mask = kinds.index_select(1, self.kind_of)
        first_open, first_close = self.linearization.first_open, self.linearization.first_close
        if self.reads is not None:
            reads = torch.zeros_like(mask).scatter_(1, self.reads.gather(1, self.t[:, None]), True)
            mask[:, 1:first_open] &= reads[:, 1:first_open]
        if self.linearization.closing_labels:
            innermost = self.labels.gather(1, self.depth[:, None])
            mask[:, first_close:] &= self.label_of[first_close:] == innermost
        return mask

    def apply(self, actions: Tensor) -> None:
        """Take one legal action in every row, in place."""
        kinds = self.kind_of[actions].masked_fill(self.finished, END)
        words, opens, closes = kinds == WORD, kinds == OPEN, kinds == CLOSE
        start = self.linearization.start_of_opened(self.top, self.t)
        closed = self.starts.gather(1, self.depth[:, None])[:, 0]
        above = (self.depth + 1)[:, None]
        self.starts.scatter_(1, above, start[:, None])
        self.labels.scatter_(1, above, self.label_of[actions][:, None])
        self.run = self.linearization.next_run(self.run, self.last, opens, closes)
        self.top = torch.where(
            words, self.t, torch.where(opens, start, torch.where(closes, closed, self.top))
        )
        self.t = self.t + words
        self.depth = self.depth + opens.long() - closes.long()
        self.opened = self.opened + opens
        self.last = kinds
        self.finished = self.finished | (kinds == END)

    def boundaries(self) -> Tensor:
        """(B, 5) the positions (0, r, s, t, n).

        t is the first word not read. s is the start of the topmost element of the stack: a word, a
        closed bracket, or the innermost open one if nothing came after it. r is the start of the
        innermost open bracket below it.
        """
        below = (self.depth - (self.last == OPEN).long())[:, None]
        r = self.starts.gather(1, below)[:, 0]
        return torch.stack([torch.zeros_like(self.n), r, self.top, self.t, self.n], dim=1)


class OpenBracketDerivation:
    """A derivation of one sentence.

    Args:
        linearization: An :class:`~.open_brackets.OpenBrackets`.
        n: The words of the sentence.
    """

    last: int = END
    t = depth = 0
    top = PADDING
    finished = False

    def __init__(self, linearization: Any, n: int) -> None:
        self.n, self.linearization = n, linearization
        self.open: list[tuple[int, int]] = []
        """The start and the index of the label of each open bracket, the outermost first."""

    def is_possible(self, action: int) -> bool:
        kind = self.linearization.kinds[action]
        if not self.linearization.legal_kinds(self, True, True, True)[kind]:
            return False
        return kind != CLOSE or self.linearization.labels_of[action] in (NO_LABEL, self.open[-1][1])

    def apply(self, action: int) -> None:
        kind = self.linearization.kinds[action]
        if kind == WORD:
            self.top = self.t
            self.t += 1
        elif kind == OPEN:
            self.top = self.linearization.start_of_opened(self.top, self.t)
            self.open.append((self.top, self.linearization.labels_of[action]))
            self.depth += 1
        elif kind == CLOSE:
            self.top, _ = self.open.pop()
            self.depth -= 1
        self.last = kind
        self.finished = kind == END

    def boundaries(self) -> tuple[int, ...]:
        below = self.open[:-1] if self.last == OPEN else self.open
        return 0, below[-1][0] if below else PADDING, self.top, self.t, self.n
