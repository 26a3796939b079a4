"""The direction that a text is written in, by its letters."""

import unicodedata
from collections.abc import Iterable

_LEFT, _RIGHT = {"L"}, {"R", "AL"}


def is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is of a script such as Arabic or Hebrew."""
    directions = map(unicodedata.bidirectional, text)
    return next((one in _RIGHT for one in directions if one in _LEFT | _RIGHT), False)


def are_right_to_left(words: Iterable[str]) -> bool:
    """Whether more words of a sentence are written from right to left than from left to right.

    Words without a letter, such as numbers, do not count.
    """
    balance = 0
    for word in words:
        if is_right_to_left(word):
            balance += 1
        elif any(unicodedata.bidirectional(character) in _LEFT for character in word):
            balance -= 1
    return balance > 0
