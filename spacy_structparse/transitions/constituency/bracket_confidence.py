"""How sure the brackets of a derivation are, from the probabilities of its actions.

The confidence of a bracket is the product of the probabilities of the decisions that it depends on.
What is built inside of it and around it is left out. Bottom up these are: to keep the element that
begins where it does until its last word is read, then to combine until there is one element over
its words, and its label. With open brackets: to open it, not to close it before its last word, and
to close it then.
"""

from collections.abc import Sequence

import numpy as np

from ...brackets import Bracket
from .bottom_up import COMBINE, FIRST_LABEL, SHIFT, BottomUp
from .interface import Actions
from .open_bracket_states import CLOSE, OPEN
from .open_brackets import OpenBrackets

_LEAST = 1e-12


def closing_actions(linearization: Actions) -> np.ndarray:
    """(n_actions,) bool; True for the actions that close a bracket; bottom up there are none."""
    if isinstance(linearization, OpenBrackets):
        return linearization.kind_of == CLOSE
    return np.zeros(len(linearization), dtype=bool)


def bracket_confidence(
    linearization: Actions,
    actions: Sequence[int],
    n: int,
    log_probs: np.ndarray,
    closing: np.ndarray,
) -> dict[Bracket, float]:
    """Compute how sure the brackets of n words are. Of equal brackets the surest one counts.

    Args:
        linearization: The linearization.
        actions: T legal actions.
        n: Words.
        log_probs: (T or more,) log probability of each action.
        closing: (T or more,) probability of all actions that close a bracket, in each state.

    Returns:
        The probability of every bracket.
    """
    if isinstance(linearization, BottomUp):
        found = _bottom_up(linearization, actions, n, log_probs.tolist())
    elif isinstance(linearization, OpenBrackets):
        found = _open_brackets(linearization, actions, n, log_probs.tolist(), closing)
    else:
        raise TypeError(f"{type(linearization).__name__} has no confidence of brackets")
    sure: dict[Bracket, float] = {}
    for bracket, log_p in found:
        sure[bracket] = max(sure.get(bracket, 0.0), float(np.exp(log_p)))
    return sure


def _bottom_up(
    linearization: BottomUp, actions: Sequence[int], n: int, log_probs: list[float]
) -> list[tuple[Bracket, float]]:
    found: list[tuple[Bracket, float]] = []
    kept: list[float] = []  # of each element: that it was not combined with the one below
    combined = 0.0  # since the last word was read
    for step, (action, starts, end) in enumerate(linearization.replay(actions, n)):
        log_p = log_probs[step]
        if action == SHIFT:
            if kept:
                kept[-1] += log_p
            kept.append(0.0)
            combined = 0.0
        elif action == COMBINE:
            kept.pop()
            combined += log_p
        elif action >= FIRST_LABEL:
            sure = kept[-1] + combined + log_p
            chain = linearization.chains[action - FIRST_LABEL]
            found += [(Bracket(label, starts[-1], end), sure) for label in chain]
    return found


def _open_brackets(
    linearization: OpenBrackets,
    actions: Sequence[int],
    n: int,
    log_probs: list[float],
    closing: np.ndarray,
) -> list[tuple[Bracket, float]]:
    stays = np.log(np.maximum(1 - closing, _LEAST)).tolist()
    found: list[tuple[Bracket, float]] = []
    sure: list[float] = []  # of each open bracket
    for step, kind, derivation in linearization.replay(actions, n):
        if kind == CLOSE:
            start, label = derivation.open[-1]
            log_p = sure.pop() + log_probs[step]
            found.append((Bracket(linearization.labels[label], start, derivation.t), log_p))
            continue
        if sure:
            sure[-1] += stays[step]
        if kind == OPEN:
            sure.append(log_probs[step])
    return found
