"""The first action at which two parsers diverge on a sentence (Ma et al. 2017, Figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...pipeline.seq2seq import Trace
from ...transitions.constituency.interface import Linearization
from .partial_trees import last_stack


class ComparisonError(ValueError):
    """Two parsers that cannot be compared action by action."""


@dataclass(frozen=True)
class Divergence:
    """The first action at which two parsers diverge.

    Attributes:
        step: Its number, from 0.
        stack: The stack before it, the bottom first, for both.
        names: The action of each parser; None where one has finished.
        probabilities: Their probabilities.
        same_tree: Both parsers end with the same tree.
    """

    step: int
    stack: list[str]
    names: tuple[str | None, str | None]
    probabilities: tuple[float, float]
    same_tree: bool


def check_comparable(ours: Linearization, theirs: Linearization) -> None:
    """Check that two parsers take the same kinds of actions; their labels may differ.

    Raises:
        ComparisonError: The linearizations or their settings differ.
    """
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
    """The first step at which two sequences of action names differ; None if they are equal.

    Where one is the beginning of the other, it is the step at which the shorter one ends.
    """
    for step, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return step
    return None if len(ours) == len(theirs) else min(len(ours), len(theirs))


def find_divergence(ours: Trace, theirs: Trace, linearization: Linearization) -> Divergence | None:
    """Find where two traces of one sentence diverge.

    Args:
        ours: A trace.
        theirs: The other one.
        linearization: The one of ``ours``.

    Returns:
        The divergence; None if the actions are the same.

    Raises:
        ComparisonError: The words differ.
    """
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
