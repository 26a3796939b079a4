"""The tokens of a Tregex pattern: labels, regular expressions, relations, signs."""

import re
from typing import NamedTuple

from .errors import PatternError

SIMPLE_RELATIONS = frozenset(
    "< > << >> <<< <, >, <- >- <: >: <<, >>, <<- >>- <<: >>: <# ># <<# >>#"
    " $ $+ $- $++ $-- .. . ,, , == <= :".split()
)
"""Relations without an argument."""

SYNONYMS = {
    "<`": "<-", ">`": ">-", "<<`": "<<-", ">>`": ">>-",
    "$.": "$+", "$,": "$-", "$..": "$++", "$,,": "$--",
}  # fmt: skip
"""Other spellings of relations."""

PATH_RELATIONS = frozenset(("<+", ">+", ".+", ",+"))
"""Relations along a chain of nodes that match a description."""

CHILD_LIST = "<..."

_SYMBOLS = sorted(
    {*SIMPLE_RELATIONS, *SYNONYMS, *PATH_RELATIONS, CHILD_LIST}, key=len, reverse=True
)
_LABEL_START = r"[^\s0-9(/|@!#%&)=?\[\]><~_.,$:{};]"
_LABEL_REST = r"[^\s(/|@!#%&)=?\[\]><~.,$:{};]"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<relation>{"|".join(map(re.escape, _SYMBOLS))})
    |(?P<number>-?[0-9]+)
    |(?P<root>_ROOT_)
    |(?P<any>__)
    |(?P<label>{_LABEL_START}{_LABEL_REST}*(?:\|{_LABEL_REST}+)*)
    |(?P<regex>/(?:\\.|[^/\\\n])*/)
    |(?P<sign>[()\[\]{{}};&|!?@=~\#%])""",
    re.VERBOSE,
)
END = "end"


class Token(NamedTuple):
    """A token of a pattern.

    Attributes:
        kind: relation, number, root, any, label, regex, sign or end.
        text: The token as it stands.
        column: Where it begins, from 1.
    """

    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return "the end of the pattern" if self.kind == END else repr(self.text)


def tokenize(pattern: str) -> list[Token]:
    """Cut a pattern into tokens, without whitespace, and an `end` after them.

    Raises:
        PatternError: A character begins no token.
    """
    tokens: list[Token] = []
    place = 0
    while place < len(pattern):
        match = _TOKEN.match(pattern, place)
        if match is None:
            expected = (
                "a regular expression ends with '/', and this one does not"
                if pattern[place] == "/"
                else f"{pattern[place]!r} begins no label or relation; "
                "write it inside a regular expression: /…/"
            )
            raise PatternError(expected, pattern, place + 1)
        kind = match.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, match.group(), place + 1))
        place = match.end()
    return [*tokens, Token(END, "", len(pattern) + 1)]
