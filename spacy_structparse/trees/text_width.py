"""Estimates of the width of a text, for drawings without access to the font."""

import unicodedata

NARROW = frozenset("fijlrtI!|.,:;'`()[]{}/\\- ")
WIDE = frozenset("mwMW@%—…")
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def text_width(text: str, font_size: float, *, bold: bool = False) -> float:
    """Estimate the width of a text in a proportional sans-serif font, in the unit of `font_size`.

    The estimate is an upper bound: wide fonts (DejaVu Sans, Verdana) fit, narrow ones (Helvetica)
    leave some room.
    """
    ems = sum(map(_character_width, text))
    return ems * font_size * (1.12 if bold else 1.0)


def _character_width(character: str) -> float:
    if character in NARROW:
        return 0.42
    if character in WIDE:
        return 1.0
    if character.isascii():
        return 0.7 if character.isupper() else 0.64
    if unicodedata.category(character) in _ZERO_WIDTH:
        return 0.0
    return 1.05 if unicodedata.east_asian_width(character) in "WF" else 0.8
