"""Colours of text on a terminal.

Blue and orange are told apart by colour-blind readers too, and stand out from a light and from a
dark background. No colour says what the text does not.
"""

import os
import textwrap
import unicodedata
from collections.abc import Callable
from typing import Literal, TextIO

from wasabi.util import color, supports_ansi

from ..trees.svg_document import ZERO_WIDTH, is_right_to_left


def cell_width(text: str) -> int:
    """The number of cells: none for a combining mark, two for a wide East Asian letter."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def cut(text: str, most: int) -> str:
    """The text in at most so many cells, with an ellipsis for what is left out."""
    if cell_width(text) <= most:
        return text
    shown = ""
    room = most - 1
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        shown += character
    return f"{shown}…"


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most so many cells on average, broken at spaces, and inside of longer words."""
    letters = max(1, width * len(text) // max(1, cell_width(text)))
    return textwrap.wrap(text, letters, break_on_hyphens=False)


def _cells(character: str) -> int:
    if unicodedata.category(character) in ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


Kind = Literal["heading", "phrase", "tag", "relation", "word", "line"]
# Takes the kind of a text and the text, and gives it with its colour.
Paint = Callable[[Kind, str], str]

# xterm's colours of 256, with a contrast above 4 to white and to near black.
_ANSI: dict[Kind, int | None] = {"phrase": 33, "tag": 166, "relation": 166, "line": 244}
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"


def plain(kind: Kind, text: str) -> str:
    """No colour. A text from right to left is isolated, so that it reorders nothing beside it."""
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if is_right_to_left(text) else text


def ansi(kind: Kind, text: str) -> str:
    """The colours of a terminal."""
    return color(plain(kind, text), fg=_ANSI.get(kind), bold=kind in ("heading", "phrase"))


def has_colours(stream: TextIO) -> bool:
    """Return True for a terminal with colours, unless the user has said no to them.

    The variables `NO_COLOR` and `ANSI_COLORS_DISABLED` say so, and `TERM=dumb`.
    """
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not refused and supports_ansi()
