"""Words that differ in spelling alone, as those of a treebank's trees and of its CoNLL-U do."""

import re
import unicodedata

_PLAIN_CHARACTERS = str.maketrans(
    {
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("`\u2018\u2019\u201a\u00b4", "'"),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        "\u00ad": None,  # the soft hyphen, seen only where a line breaks
    }
)
_ESCAPED = re.compile(r"''|-L[RSC]B-|-R[RSC]B-|\\[/*]|--+")
_PLAIN = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "\\/": "/",
    "\\*": "*",
    "''": '"',
}


def same_but_for_spelling(word: str, other: str) -> bool:
    """Whether two words differ at most in escapes, quotes, dashes, spaces or Unicode spelling."""
    return word == other or plain_word(word) == plain_word(other)


def plain_word(word: str) -> str:
    """The word without escapes and spaces, with plain quotes and dashes."""
    # Before NFKC, which makes a space and an accent of the acute accent.
    word = unicodedata.normalize("NFKC", word.translate(_PLAIN_CHARACTERS))
    word = "".join(word.split())
    return _ESCAPED.sub(lambda match: _PLAIN.get(match.group(), "-"), word)
