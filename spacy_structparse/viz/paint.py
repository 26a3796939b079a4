"""Colours of text, on a terminal and in HTML.

Blue and orange are told apart by colour-blind readers too, and stand out from a light and from a
dark background. No colour says what the text does not.
"""

import os
from collections.abc import Callable
from html import escape
from typing import Literal, TextIO

from wasabi.util import color, supports_ansi

from ..trees.writing_direction import is_right_to_left

Kind = Literal["heading", "phrase", "tag", "relation", "word", "line"]
Paint = Callable[[Kind, str], str]
"""Takes the kind of a text and the text, and gives it with its colour."""

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
    """Whether a stream is a terminal with colours, and the user has not said no to them.

    The variables `NO_COLOR` and `ANSI_COLORS_DISABLED` say so, and `TERM=dumb`.
    """
    refused = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return stream.isatty() and not refused and supports_ansi()
