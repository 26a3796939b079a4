"""Rows of a padded batch in groups of about one length, so that little padding is computed."""

from collections.abc import Iterator

import numpy as np

# The longest row of a group is at most SPREAD times as long as its shortest, unless the group has
# fewer than MIN_CELLS cells: products of small matrices are slow.
SPREAD, MIN_CELLS = 1.15, 256


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
