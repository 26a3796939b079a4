"""Where two parsers diverge on a sentence (Ma et al. 2017, Figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..transitions.constituency.interface import Linearization
from .partial_trees import last_stack
from .trace import Trace


class ComparisonError(ValueError):
    """Two parsers that cannot be compared action by action."""


@dataclass(frozen=True)
class Divergence:
    """The first action at which two parsers diverge.

    step: its number, from 0. stack: what is on the stack before it, the bottom first, for both.
    names: of the actions taken, None where a parser has finished. probabilities: of these.
    same_tree: whether the trees are equal in the end all the same.
    """

    step: int
    stack: list[str]
    names: tuple[str | None, str | None]
    probabilities: tuple[float, float]
    same_tree: bool


def check_comparable(ours: Linearization, theirs: Linearization) -> None:
    """Check that two parsers take the same kinds of actions; which labels they know may differ.

    Raises ComparisonError, which says what differs."""
    if ours.name != theirs.name:
        raise ComparisonError(
            f"One parser's linearization is {ours.name}, the other's {theirs.name}: actions can "
            "be compared only where both are the same."
        )
    settings, others = ours.settings(), theirs.settings()
    for name in ("closing_labels", "word_symbols"):
        if settings.get(name) != others.get(name):
            raise ComparisonError(
                f"The parsers' {ours.name} linearizations have different {name}: "
                f"{settings.get(name)} and {others.get(name)}."
            )


def divergence_step(ours: Sequence[str], theirs: Sequence[str]) -> int | None:
    """The first step at which two sequences of action names differ (where one ends, if it is the
    beginning of the other), or None if they are equal."""
    for step, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return step
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))


def find_divergence(ours: Trace, theirs: Trace, linearization: Linearization) -> Divergence | None:
    """Where two traces of one sentence diverge; None if they do not.

    linearization: the one of `ours`. Raises ComparisonError if the words differ."""
    if ours.words != theirs.words:
        raise ComparisonError(
            f"The parsers did not read the same words: {' '.join(ours.words)!r} and "
            f"{' '.join(theirs.words)!r}."
        )
    step = divergence_step(ours.names, theirs.names)
    if step is None:
        return None
    taken = [
        (trace.names[step], float(np.exp(trace.log_probs[step])))
        if step < len(trace.names)
        else (None, 0.0)
        for trace in (ours, theirs)
    ]
    return Divergence(
        step=step,
        stack=last_stack(linearization, ours.actions[:step], ours.words),
        names=(taken[0][0], taken[1][0]),
        probabilities=(taken[0][1], taken[1][1]),
        same_tree=ours.brackets == theirs.brackets,
    )
