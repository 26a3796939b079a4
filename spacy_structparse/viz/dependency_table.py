"""Dependencies of a sentence as a table for a terminal, a word a line, with arcs where they fit."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.tokens import Token

from ..escaping import escape_control
from .paint import Kind, Paint, cell_width, cut, plain
from .sentences import head_places

CELL = 2  # columns for a vertical line
_JOINTS = {(True, True): "┼", (True, False): "┴", (False, True): "┬"}
# By whether the vertical line goes up and down from here: where a head joins it, a dependent.
_ENDS = {(True, True): "├", (True, False): "└", (False, True): "┌"}


def arc_lines(heads: Sequence[int], width: int) -> list[str] | None:
    """Draw the arcs of a sentence with box lines beside its words, one word a line.

          ┌───  Time
         ─┼───  flies
          ├─┬─  like
          │ └─  arrows

    A head has a vertical line to which the lines of its dependents are joined. The further a word
    is from the root, the further to the right is its head's line.

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


# For each column the head whose vertical line passes each word.
Owners = list[list[int | None]]


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


LONGEST, LEAST = 24, 6  # columns of a cell, and of one that is cut for a narrow table
GAP = "  "


class _Column(NamedTuple):
    title: str
    kind: Kind
    cells: list[str]
    right: bool = False

    @property
    def width(self) -> int:
        return max(map(cell_width, (self.title, *self.cells)))

    def padded(self, paint: Paint) -> list[str]:
        """The title and the cells, all of the same width."""
        padded = []
        for place, text in enumerate((self.title, *self.cells)):
            space = " " * (self.width - cell_width(text))
            painted = paint(self.kind if place else "line", text) if text else ""
            padded.append(space + painted if self.right else painted + space)
        return padded


def dependency_lines(
    words: Sequence[Token], width: int = 80, paint: Paint = plain, confidence: Sequence[str] = ()
) -> list[str]:
    """Write the words of a sentence with their heads and labels.

    Lemmas and tags are written where there are any. Arcs are drawn where they fit within the width;
    without them, the words of heads are written beside their numbers. Long words are cut.

    Args:
        words: The words of one sentence.
        width: The columns. A table that needs more has cut cells.
        paint: Colours the cells.
        confidence: How sure head and label of each word are, as text. It has a column if any of it
            is not empty.
    """
    heads = head_places(words)
    columns = _columns(words, heads, confidence, LONGEST)
    arcs = arc_lines(heads, width - _width(columns) - len(GAP))
    if arcs is not None:
        columns.insert(1, _Column("", "line", arcs))
    for longest in range(LONGEST, LEAST - 1, -1) if arcs is None else ():
        columns = _columns(words, heads, confidence, longest, head_words=True)
        if _width(columns) <= width:
            break
    cells = zip(*(column.padded(paint) for column in columns), strict=True)
    return [GAP.join(row).rstrip() for row in cells]


def _columns(
    words: Sequence[Token],
    heads: Sequence[int],
    confidence: Sequence[str],
    longest: int,
    head_words: bool = False,
) -> list[_Column]:
    """The columns of a table whose words and labels are cut, without columns that are empty."""

    def cells(texts: Iterable[str]) -> list[str]:
        return [cut(escape_control(text), longest) for text in texts]

    shown = cells(token.text for token in words)
    of_heads = ["" if head == place else shown[head] for place, head in enumerate(heads)]
    numbers = ["0" if head == place else str(head + 1) for place, head in enumerate(heads)]
    columns = [
        _Column("#", "line", [str(place + 1) for place in range(len(words))], right=True),
        _Column("word", "word", shown),
        _Column("lemma", "word", cells(token.lemma_ for token in words)),
        _Column("tag", "tag", cells(token.tag_ or token.pos_ for token in words)),
        _Column("head", "line", numbers, right=True),
        _Column("", "word", of_heads if head_words else []),
        _Column("label", "relation", cells(token.dep_ for token in words)),
        _Column("conf.", "line", list(confidence), right=True),
    ]
    return [column for column in columns if column.title == "label" or any(column.cells)]


def _width(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)
