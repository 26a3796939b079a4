"""Head words of the two topmost elements, for `datt-bound-head` (Ma et al. 2017, §3.3).

In training the heads are those of head-finding rules. The rules know constituents alone; an element
that is none (`nolabel`) has the head of the smallest constituent around it where that lies inside
the element, else the head of its right child. While parsing, an element has the head of its right
child whatever it is, which makes it the last word of the element.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ...brackets import Bracket
from .bottom_up import COMBINE, SHIFT, BottomUp
from .interface import PADDING, check_brackets


def rule_heads(
    system: BottomUp,
    actions: Sequence[int],
    brackets: Sequence[Bracket],
    heads: Sequence[int],
    n: int,
) -> np.ndarray:
    """(4n-2, 2) the heads of the elements [r, s) and [s, t) before each action, by rules;
    PADDING where the stack has no such element.

    actions: those of the tree. brackets: the tree. heads: (brackets,) the word that heads each, as
    the rules say. Raises ActionError, BracketError, ValueError if a bracket has no head.
    """
    check_brackets(brackets, n)
    if len(heads) != len(brackets):
        raise ValueError(f"{len(brackets)} brackets need a head each, not {len(heads)}.")
    spans = sorted(
        zip(brackets, heads, strict=True), key=lambda headed: headed[0].end - headed[0].start
    )
    starts = np.array([bracket.start for bracket, _ in spans])
    ends = np.array([bracket.end for bracket, _ in spans])
    head_of = [head for _, head in spans]
    rows = np.full((len(actions), 2), PADDING, dtype=np.int64)
    stack = [PADDING, PADDING]
    for step, (_, r, _, t, _) in enumerate(system.boundaries(actions, n).tolist()):
        rows[step] = stack[-2:]
        if actions[step] == SHIFT:
            stack.append(t)
        elif actions[step] == COMBINE:
            right_child = stack.pop()
            nearest = int(np.argmax((starts <= r) & (ends >= t)))
            head = head_of[nearest]
            stack[-1] = head if r <= head < t else right_child
    return rows


def head_choices(heads: np.ndarray, actions: Sequence[int]) -> np.ndarray:
    """(C, 2) for each of the combined elements its head and that of its other child.

    heads: (4n-2, 2) what `rule_heads` gives; actions: 4n - 2."""
    combined = np.flatnonzero(np.asarray(actions) == COMBINE)
    left, right = heads[combined].T
    head = heads[combined + 1, 1]
    return np.stack([head, np.where(head == left, right, left)], axis=1)


def rightmost_heads(boundaries: Tensor) -> Tensor:
    """(…, 2) the heads of [r, s) and [s, t), each the last word of its element, from the positions
    (…, 5) (0, r, s, t, n); PADDING where the stack has no such element."""
    return (boundaries[..., 2:4] - 1).clamp(min=PADDING)


def with_heads(boundaries: Tensor, heads: Tensor) -> Tensor:
    """(0, r, s, t, h_rs, h_st, T) from (0, r, s, t, T) and (h_rs, h_st): (…, 7)."""
    return torch.cat([boundaries[..., :4], heads, boundaries[..., 4:]], -1)
