"""The data of a picture of a parser's attention."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class AttentionMap:
    """The attention of T steps over P positions.

    positions: P, the words and the encoder's end symbol. steps: T, the names of the actions.
    weights: (T, P), what each position got before each action. kind: "probabilistic",
    "deterministic" or "none". title: of the picture. marked: a step to point out.
    For pages only: probabilities (T,), those of the actions; stacks: T, what was on the stack after
    each action, the bottom first; tree: the finished one.
    Raises ValueError where these do not fit together.
    """

    positions: Sequence[str]
    steps: Sequence[str]
    weights: np.ndarray
    kind: str
    title: str = ""
    marked: int | None = None
    probabilities: np.ndarray = field(default_factory=lambda: np.zeros(0))
    stacks: Sequence[Sequence[str]] = ()
    tree: str = ""

    def __post_init__(self) -> None:
        expected = (len(self.steps), len(self.positions))
        if not all(expected) or self.weights.shape != expected:
            raise ValueError(
                f"The attention of {expected[0]} steps over {expected[1]} positions has the shape "
                f"{self.weights.shape}; there must be at least one step and one position."
            )
        for name, values in (("probabilities", self.probabilities), ("stacks", self.stacks)):
            if len(values) not in (0, len(self.steps)):
                raise ValueError(f"{len(self.steps)} steps have {len(values)} {name}.")
        if self.marked is not None and not 0 <= self.marked < len(self.steps):
            raise ValueError(f"Step {self.marked} of {len(self.steps)} cannot be marked.")

    @property
    def full_scale(self) -> float:
        """The weight of the darkest colour: 1 for probabilities; for deterministic attention,
        which is spread evenly over several positions, the most that one of them got."""
        highest = float(self.weights.max())
        return highest if self.kind == "deterministic" and highest > 0 else 1.0


def explain_scale(shown: AttentionMap) -> str:
    """The meaning of the colours, in words."""
    if not shown.weights.any():
        return "this parser has no attention"
    if shown.kind == "deterministic":
        return f"deterministic attention; darkest: {shown.full_scale:.2f}"
    return f"{shown.kind} attention; darkest: 1"
