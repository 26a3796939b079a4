"""Text in the cells of a terminal."""

import unicodedata

_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def cell_width(text: str) -> int:
    """The number of cells: none for a combining mark, two for a wide East Asian letter."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def cut(text: str, most: int) -> str:
    """The text in at most so many cells, with an ellipsis for what is left out."""
    if cell_width(text) <= most:
        return text
    kept = ""
    room = most - 1
    for character in text:
        room -= _cells(character)
        if room < 0:
            break
        kept += character
    return f"{kept}…"


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
