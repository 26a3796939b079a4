"""The dynamic oracle of bottom-up transitions (Cross & Huang 2016, §4), for exploration."""

from collections.abc import Sequence

import numpy as np

from ...brackets import Bracket
from .bottom_up import COMBINE, SHIFT, BottomUp
from .interface import unary_chains


def dynamic_oracle(
    system: BottomUp, actions: Sequence[int], brackets: Sequence[Bracket], n: int
) -> np.ndarray:
    """Find the right actions in every state of a derivation, itself right or wrong.

    This is the dynamic oracle of Cross & Huang (2016, §4). A gold bracket can still be built from a
    state if its start is a fencepost of the stack and its end is not behind the words shifted. The
    smallest such bracket around the topmost element decides: combine if it begins further left,
    shift if it ends further right, either if both. The root can always be built, so that there
    always is one. Labels are those of the gold bracket over the element. These actions build all
    gold brackets that can still be built, and add no wrong one.

    Args:
        system: The linearization.
        actions: 4n - 2 legal actions.
        brackets: The gold tree over the n words.
        n: The number of words.

    Returns:
        (4n-2, n_actions) bool, at least one right action per row.

    Raises:
        ActionError: An action is illegal.
        ActionError: The derivation meets a gold span whose labels have no action.
    """
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
