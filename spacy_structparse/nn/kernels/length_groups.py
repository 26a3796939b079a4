"""Rows of a padded batch in groups of about one length, so that little padding is computed."""

from collections.abc import Iterator

import numpy as np

# The longest row of a group is at most SPREAD times as long as its shortest, unless the group has
# fewer than MIN_CELLS cells: products of small matrices are slow.
SPREAD, MIN_CELLS = 1.15, 256
# In bfloat16 PyTorch compiles kernels of attention for each length and keeps all of them: over a
# large corpus they take more memory than the model.
STEP = 8


def length_groups(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Group the rows of a batch.

    Args:
        lengths: (B,) the length of each row.

    Yields:
        The numbers of a group's rows, longest first. Every row is in one group.
    """
    order = np.argsort(-lengths, kind="stable")
    first = 0
    while first < len(order):
        longest = int(lengths[order[first]])
        last = first + 1
        while last < len(order):
            shorter = longest > SPREAD * lengths[order[last]]
            if shorter and (last - first) * longest >= MIN_CELLS:
                break
            last += 1
        yield order[first:last]
        first = last


def rounded_length(length: int, most: int) -> int:
    """Round the length of a group up, so that there are few lengths.

    Args:
        length: The longest row's.
        most: The most that the model can read.

    Returns:
        The next multiple of `STEP`, or ``length`` where that is more than ``most``.
    """
    rounded = -(-length // STEP) * STEP
    return rounded if rounded <= most else length
