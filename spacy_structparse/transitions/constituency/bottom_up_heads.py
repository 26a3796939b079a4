"""Head words of the two topmost elements, for `datt-bound-head` (Ma et al. 2017, §3.3).

In training the heads are those of head-finding rules, which know constituents alone. An element
that is no constituent (`nolabel`) has the head of the smallest constituent around it, if that lies
inside the element; otherwise the head of its right child. In parsing, every element has the head of
its right child, and so the last word of the element.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ...brackets import Bracket
from .bottom_up import COMBINE, SHIFT, BottomUp
from .interface import PADDING


def rule_heads(
    system: BottomUp,
    actions: Sequence[int],
    brackets: Sequence[Bracket],
    heads: Sequence[int],
    n: int,
) -> np.ndarray:
    """Find the heads of the elements [r, s) and [s, t) before each action, by head-finding rules.

    Args:
        system: The linearization.
        actions: 4n - 2 actions of the tree.
        brackets: The tree.
        heads: The head word of each bracket.
        n: The number of words.

    Returns:
        (4n-2, 2) words, PADDING where the stack has no such element.

    Raises:
        ActionError: An action is illegal.
    """
    spans = sorted(
        zip(brackets, heads, strict=True), key=lambda headed: headed[0].end - headed[0].start
    )
    starts = np.array([bracket.start for bracket, _ in spans])
    ends = np.array([bracket.end for bracket, _ in spans])
    head_of = [head for _, head in spans]
    word_heads = np.full((len(actions), 2), PADDING, dtype=np.int64)
    stack = [PADDING, PADDING]
    for step, (_, r, _, t, _) in enumerate(system.boundaries(actions, n).tolist()):
        word_heads[step] = stack[-2:]
        if actions[step] == SHIFT:
            stack.append(t)
        elif actions[step] == COMBINE:
            right_child = stack.pop()
            nearest = int(np.argmax((starts <= r) & (ends >= t)))
            head = head_of[nearest]
            stack[-1] = head if r <= head < t else right_child
    return word_heads


def rightmost_heads(boundaries: Tensor) -> Tensor:
    """(..., 2) the last words of [r, s) and of [s, t), from (..., 5) positions (0, r, s, t, n)."""
    return (boundaries[..., 2:4] - 1).clamp(min=PADDING)


def with_heads(boundaries: Tensor, heads: Tensor) -> Tensor:
    """Join (0, r, s, t, n) and (h_rs, h_st) to (0, r, s, t, h_rs, h_st, n): (..., 7)."""
    return torch.cat([boundaries[..., :4], heads, boundaries[..., 4:]], -1)
