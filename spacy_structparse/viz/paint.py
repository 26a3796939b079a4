"""Colours of text, on a terminal and in HTML.

Blue and orange are told apart by colour-blind readers too, and stand out from a light and from a
dark background. No colour says what the text does not.
"""

import os
import re
import unicodedata
from collections.abc import Callable
from html import escape
from typing import Literal, TextIO

from wasabi.util import color, supports_ansi

from ..escaping import escape_control
from ..trees import Tree
from ..trees.svg_document import is_right_to_left

_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


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
    """Lines of at most so many cells, broken at spaces, and inside of words that are longer."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if cell_width(joined) <= width:
            line = joined
            continue
        lines += [line] if line else []
        line = ""
        for character in word:
            if line and cell_width(line) + _cells(character) > width:
                lines.append(line)
                line = ""
            line += character
    return [*lines, line] if line else lines


def _cells(character: str) -> int:
    if unicodedata.category(character) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


Kind = Literal["heading", "phrase", "tag", "relation", "word", "line"]
# Takes the kind of a text and the text, and gives it with its colour.
Paint = Callable[[Kind, str], str]

# xterm's colours of 256, and those of HTML with a contrast above 4 to white and to near black.
_ANSI: dict[Kind, int | None] = {"phrase": 33, "tag": 166, "relation": 166, "line": 244}
_HTML: dict[Kind, str] = {
    "heading": "font-weight: bold",
    "phrase": "color: #0080cc; font-weight: bold",
    "tag": "color: #c75300",
    "relation": "color: #c75300",
    "line": "color: #808080",
}
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"


def plain(kind: Kind, text: str) -> str:
    """No colour. A text from right to left is isolated, so that it reorders nothing beside it."""
    return f"{_ISOLATE}{text}{_END_ISOLATE}" if is_right_to_left(text) else text


def ansi(kind: Kind, text: str) -> str:
    """The colours of a terminal."""
    return color(plain(kind, text), fg=_ANSI.get(kind), bold=kind in ("heading", "phrase"))


def html(kind: Kind, text: str) -> str:
    """The text as HTML, escaped and isolated."""
    marked = escape(text)
    if is_right_to_left(text):
        marked = f"<bdi>{marked}</bdi>"
    return f'<span style="{_HTML[kind]}">{marked}</span>' if kind in _HTML else marked


def has_colours(stream: TextIO) -> bool:
    """Return True for a terminal with colours, unless the user has said no to them.

    The variables `NO_COLOR` and `ANSI_COLORS_DISABLED` say so, and `TERM=dumb`.
    """
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not refused and supports_ansi()


# A label, and the word after it if it is a tag. In the notation neither has brackets or spaces.
_LABELLED = re.compile(r"\(([^ \n()]*)(?: ([^ \n()]+))?")


def painted_brackets(tree: Tree, width: int, paint: Paint) -> str:
    """The tree as indented Penn brackets, with a colour for labels and one for tags.

    Args:
        tree: The tree.
        width: The columns that lines take where possible; see :meth:`Tree.pretty`.
        paint: Colours the labels and words.
    """

    def painted(match: re.Match[str]) -> str:
        label, word = match.groups()
        if word is None:
            return "(" + paint("phrase", label)
        return f"({paint('tag', label)} {paint('word', word)}"

    return _LABELLED.sub(painted, escape_control(tree.pretty(width), keep="\n"))
