"""The dynamic oracle of bottom-up transitions (Cross & Huang 2016, §4).

A gold bracket can still be built from a state if its start is a fencepost of the stack and its end
is not behind the words shifted. The smallest of these around the topmost element says what to do:
combine if it begins further left, shift if it ends further right, either if both. The root can
always be built, so there always is one. Labels are those of the gold bracket over the element.
With these actions all gold brackets that can be had are had, and no wrong one is added.
"""

from collections.abc import Sequence

import numpy as np

from ...brackets import Bracket
from .bottom_up import COMBINE, SHIFT, BottomUp
from .interface import check_brackets, unary_chains


def dynamic_oracle(
    system: BottomUp, actions: Sequence[int], brackets: Sequence[Bracket], n: int
) -> np.ndarray:
    """What is right in every state of a derivation, right or wrong itself.

    actions: 4n - 2 legal actions. brackets: the gold tree over the n words.
    Returns (4n-2, n_actions) bool, at least one per row. Raises ActionError, BracketError, and
    UnknownLabelError where the derivation meets a gold span whose labels have no action.
    """
    check_brackets(brackets, n)
    gold = unary_chains(brackets)
    labels = {(start, end): chain for chain, start, end in gold}
    # A span before those around it: the first that fits is the smallest.
    gold.sort(key=lambda span: span[2] - span[1])
    starts = np.array([start for _, start, _ in gold])
    ends = np.array([end for _, _, end in gold])
    right = np.zeros((len(actions), len(system)), dtype=bool)
    on_stack = np.zeros(n + 1, dtype=bool)
    positions = system.boundaries(actions, n).tolist()
    for step, (_, _, start, end, _) in enumerate(positions):
        if step % 2:
            right[step, system.label_action(labels.get((start, end)))] = True
            continue
        if step == 0:
            right[step, SHIFT] = True
        else:
            around = on_stack[starts] & (starts <= start) & (ends >= end)
            around &= (starts < start) | (ends > end)
            nearest = int(np.argmax(around))
            right[step, COMBINE] = starts[nearest] < start
            right[step, SHIFT] = ends[nearest] > end
        if actions[step] == SHIFT:
            on_stack[end] = True  # the start of the word shifted
        else:
            on_stack[start] = False
    return right
