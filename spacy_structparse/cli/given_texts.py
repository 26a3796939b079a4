"""Texts given on the command line, in place of files with texts."""

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches

from spacy.pipeline import Sentencizer

SIMILAR = 0.8
_SUFFIX = re.compile(r"\.[A-Za-z]\w*$")


class GivenTextError(ValueError):
    """A text that cannot be parsed."""


def is_text(argument: str) -> bool:
    """Whether an argument that may name a file is a text to parse.

    It is one if it holds white space or ends in a sentence mark, and nothing speaks for a path: a
    slash, a suffix such as `.txt`, or a name in the folder that is there or nearly the same. So a
    path that is typed wrongly is never parsed as text.
    """
    if os.path.exists(argument) or not argument.strip():
        return False
    looks_like_path = "/" in argument or os.sep in argument or _SUFFIX.search(argument)
    reads_like_text = any(map(str.isspace, argument)) or argument.endswith(_sentence_marks())
    return bool(reads_like_text and not looks_like_path and not nearest_names(argument))


def nearest_names(argument: str) -> list[str]:
    """The names in the current folder that begin with an argument or are nearly the same."""
    try:
        names = os.listdir()
    except OSError:
        return []
    begun = [name for name in names if name.startswith(argument)]
    return begun or get_close_matches(argument, names, cutoff=SIMILAR)


def checked_texts(texts: Iterable[str]) -> list[str]:
    """The texts.

    Raises:
        GivenTextError: A text is empty, or has bytes that are not UTF-8.
    """
    texts = list(texts)
    for text in texts:
        if not text.strip():
            raise GivenTextError("a text is empty: --text needs the words to parse")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise GivenTextError(
                f"the text {text!r} is not UTF-8: set the terminal's encoding to UTF-8"
            ) from error
    return texts


def _sentence_marks() -> tuple[str, ...]:
    return ("…", *Sentencizer.default_punct_chars)
