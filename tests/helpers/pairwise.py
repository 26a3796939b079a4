"""Few combinations of settings in which every two settings meet with all of their values."""

from collections.abc import Sequence
from typing import Any


def pairwise(first: Sequence[Any], second: Sequence[Any], third: Sequence[Any]) -> list[Any]:
    """All pairs of the first two, and with them the values of the third in turn."""
    return [
        (one, other, third[(i + j) % len(third)])
        for i, one in enumerate(first)
        for j, other in enumerate(second)
    ]
