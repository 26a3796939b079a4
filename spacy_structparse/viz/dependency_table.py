"""Dependencies of a sentence as a table for a terminal, a word a line, with arcs where they fit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spacy.tokens import Token

from ..printable import printable
from .cells import cell_width, cut
from .dependency_arcs import arc_lines
from .paint import Kind, Paint, plain

LONGEST = 24  # columns of a cell
LEAST = 6
GAP = "  "


@dataclass
class _Column:
    title: str
    kind: Kind
    cells: list[str]
    right: bool = False

    @property
    def width(self) -> int:
        return max(map(cell_width, (self.title, *self.cells)))

    def padded(self, paint: Paint) -> list[str]:
        """The title and the cells, all of the same width."""
        kinds: list[Kind] = ["line", *[self.kind] * len(self.cells)]
        padded = []
        for kind, text in zip(kinds, (self.title, *self.cells), strict=True):
            space = " " * (self.width - cell_width(text))
            painted = paint(kind, text) if text else ""
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
    numbers = _Column("#", "line", [str(place) for place in range(1, len(words) + 1)], right=True)
    word = _Column("word", "word", _shown(token.text for token in words))
    lemma = _Column("lemma", "word", _shown(token.lemma_ for token in words))
    tag = _Column("tag", "tag", _shown(token.tag_ or token.pos_ for token in words))
    head = _Column("head", "line", [_number(place, one) for place, one in enumerate(heads)], True)
    head_word = _Column(
        "",
        "word",
        ["" if one == place else word.cells[one] for place, one in enumerate(heads)],
    )
    label = _Column("label", "relation", _shown(token.dep_ for token in words))
    sure = [_Column("conf.", "line", list(confidence), right=True)] if any(confidence) else []
    annotation = [one for one in (lemma, tag) if any(one.cells)]
    plain_columns = [numbers, word, *annotation, head, label, *sure]
    arcs = arc_lines(heads, width - _width(plain_columns) - len(GAP))
    if arcs is not None:
        columns = [numbers, _Column("", "line", arcs), *plain_columns[1:]]
    else:
        columns = [numbers, word, *annotation, head, head_word, label, *sure]
        _narrow(columns, width)
    return [
        GAP.join(cells).rstrip()
        for cells in zip(*(column.padded(paint) for column in columns), strict=True)
    ]


def head_places(words: Sequence[Token]) -> list[int]:
    """The place of each word's head among the words; a root is its own head.

    So is a word without a head, and one whose head is not among the words.
    """
    places = {token.i: place for place, token in enumerate(words)}
    return [places.get(token.head.i, place) for place, token in enumerate(words)]


def _number(place: int, head: int) -> str:
    return "0" if head == place else str(head + 1)


def _shown(texts: Iterable[str]) -> list[str]:
    return [cut(printable(text), LONGEST) for text in texts]


def _width(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(GAP) * (len(columns) - 1)


def _narrow(columns: Sequence[_Column], width: int) -> None:
    """Cut the cells of the widest columns until the table fits, as far as it can."""
    while _width(columns) > width:
        widest = max(columns, key=lambda column: column.width)
        if widest.width <= LEAST:
            return
        most = widest.width - 1
        widest.cells = [cut(cell, most) for cell in widest.cells]
