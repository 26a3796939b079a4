"""Arcs of dependencies, drawn with box lines beside the words of a sentence, one word a line.

    ┌───  Time
   ─┼───  flies
    ├─┬─  like
    │ └─  arrows

A head has a vertical line to which the lines of its dependents are joined. The further a word is
from the root, the further to the right is its head's line.
"""

from collections import deque
from collections.abc import Sequence

CELL = 2  # columns for a vertical line
_JOINTS = {(True, True): "┼", (True, False): "┴", (False, True): "┬"}
_ENDS = {(True, True): "├", (True, False): "└", (False, True): "┌"}
"""By whether the vertical line goes up and down from here: where a head joins it, a dependent."""


def arc_lines(heads: Sequence[int], width: int) -> list[str] | None:
    """Draw the arcs of a sentence.

    In a projective tree no lines cross. In others a vertical line interrupts the line of a word.

    Args:
        heads: The place of each word's head, from 0; a root is its own head.
        width: The most columns that may be used.

    Returns:
        A line for each word, all of the same length; None if there is not enough room, or if the
        heads are no tree.
    """
    columns = _place(heads, width // CELL)
    if columns is None:
        return None
    owners, place_of = columns
    return [_line(word, heads, owners, place_of) for word in range(len(heads))]


Owners = list[list[int | None]]
"""For each column the head whose vertical line passes each word."""


def _place(heads: Sequence[int], most: int) -> tuple[Owners, dict[int, int]] | None:
    """Give each head a column right of its own head's, where it meets no other vertical line.

    Column 0 is that of the lines of roots, which have no head."""
    dependents: list[list[int]] = [[] for _ in heads]
    roots: list[int] = []
    for word, head in enumerate(heads):
        (roots if head == word else dependents[head]).append(word)
    owners: Owners = [[None] * len(heads)]
    place_of: dict[int, int] = {}
    pending = deque((root, 1) for root in roots)
    n_reached = 0
    while pending:
        word, column = pending.popleft()
        n_reached += 1
        if not dependents[word]:
            continue
        first = min(word, dependents[word][0])
        after = max(word, dependents[word][-1]) + 1
        while column < len(owners) and any(
            owner is not None for owner in owners[column][first:after]
        ):
            column += 1
        if column == len(owners):
            if column >= most:
                return None
            owners.append([None] * len(heads))
        owners[column][first:after] = [word] * (after - first)
        place_of[word] = column
        pending.extend((dependent, column + 1) for dependent in dependents[word])
    return (owners, place_of) if n_reached == len(heads) else None


def _line(word: int, heads: Sequence[int], owners: Owners, place_of: dict[int, int]) -> str:
    head = heads[word]
    begins = 0 if head == word else place_of[head]
    pieces = []
    for column, of_words in enumerate(owners):
        owner = of_words[word]
        if owner is None:
            symbol = "─" if column >= begins else " "
        elif owner in (word, head):
            up = word > 0 and of_words[word - 1] == owner
            down = word + 1 < len(heads) and of_words[word + 1] == owner
            symbol = (_JOINTS if owner == word else _ENDS)[up, down]
        else:
            symbol = "│"
        pieces.append(symbol + ("─" if column >= begins else " "))
    return "".join(pieces)
