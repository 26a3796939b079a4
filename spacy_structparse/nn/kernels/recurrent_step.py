"""The type of a step of a recurrent layer."""

from collections.abc import Sequence
from typing import Protocol

from torch import Tensor


class Step(Protocol):
    """A step of a recurrent layer, for a loop that prepares it once."""

    def __call__(
        self, inputs: Sequence[Tensor], state: list[Tensor], precomputed: Tensor | None = None
    ) -> list[Tensor]:
        """Return the new state, h first.

        Args:
            inputs: Side by side the inputs, without the columns known before the loop.
            state: The tensors of the state, (N, hidden) each.
            precomputed: (N, n_gates * hidden) what the known columns add to the gates.
        """
        ...
