r"""Penn bracket notation: its escapes and layouts.

In a `Tree` a word is text. In the notation a word has neither round brackets nor ASCII whitespace.
They are escaped in one way:

* `(` and `)` are `-LRB-` and `-RRB-`, alone and inside a word (`-LRB-a-RRB-` is `(a)`);
* whitespace (which a merged token may have) is `-U+0020-` and so on, by its code point;
* a backslash at the end of a word is `-U+005C-`.

Other programs escape round brackets as `\(` and `\)`, which are read as such.

A word that is already spelled `-LRB-` is written as it is and read back as `(`: the notation
has one word for both. A label is escaped like a word, except that the tags `-LRB-` and `-RRB-` are
labels of their own and stay. Everything else, `[`, `-LSB-` and `\/` included, is written and read
as it stands.
"""

import re
from collections.abc import Callable

from .node import Node

_ROUND = {"-LRB-": "(", "-RRB-": ")"}
_CODE = "U\\+(?!D[89A-F])[0-9A-F]{4}"  # half of a surrogate pair is no character
_NEEDS_ESCAPE = re.compile(rf"[() \t\n\r\f\v]|\\\Z|-{_CODE}-")
# In a word that is escaped, a hyphen which would look like the start of an escape is one too.
_ESCAPED_CHARACTER = re.compile(
    rf"[() \t\n\r\f\v]|\\\Z|-(?=(?:LRB|RRB|{_CODE})(?:[-() \t\n\r\f\v]|\\\Z))"
)
_ESCAPE = re.compile(rf"-(LRB|RRB|{_CODE})-")
# `\)` is one where the word goes on, or a bracket follows to close it. A backslash may also be the
# last character of a word.
_SURE_BACKSLASH = re.compile(r"\\(?:\(|\)(?=[^ \t\n\r\f\v()])|(?<=RRB- \\)\)(?=[ \t]*\)))")
_BACKSLASH = re.compile(r"\\(?:\(|\)(?=[^ \t\n\r\f\v()]|[ \t]*\)))")


def escape_word(word: str) -> str:
    """Spell a word in the notation, without round brackets or whitespace."""
    if not _NEEDS_ESCAPE.search(word):
        return word
    return _ESCAPED_CHARACTER.sub(_escape_character, word)


def _escape_character(match: re.Match[str]) -> str:
    character = match.group()
    if character == "(":
        return "-LRB-"
    if character == ")":
        return "-RRB-"
    return f"-U+{ord(character):04X}-"


def unescape_word(word: str) -> str:
    """Read the text of a word; the inverse of `escape_word`."""
    return _ESCAPE.sub(_unescape_match, word) if "-" in word else word


def _unescape_match(match: re.Match[str]) -> str:
    return _ROUND.get(match.group()) or chr(int(match.group(1)[2:], 16))


def unescape_backslashes(line: str, *, same_length: bool = False) -> str:
    r"""Spell the brackets of words that a line of trees has as `\(` and `\)` in the notation.

    `(X \))` may be a bracket in an open tree, or a backslash and the end of the tree. It is the
    latter if all brackets of the line are closed then.

    Args:
        line: The line.
        same_length: Put letters in their place, so that columns stay.
    """
    if "\\(" not in line and "\\)" not in line:
        return line

    def spelled(match: re.Match[str]) -> str:
        return "xx" if same_length else "-LRB-" if match.group()[1] == "(" else "-RRB-"

    sure = _SURE_BACKSLASH.sub(spelled, line)
    return sure if sure.count("(") == sure.count(")") else _BACKSLASH.sub(spelled, line)


def unescape_label(label: str) -> str:
    """Read the label of a bracket; the tags -LRB- and -RRB- stay."""
    return label if label in _ROUND else unescape_word(label)


def format_line(tree: Node) -> str:
    """Write the tree on one line, as `(S (NP (DT The) (NN dog)) (VP (VBZ barks)))`."""
    pieces: list[str] = []
    write = pieces.append
    pending: list[Node | None] = [tree]  # None: a bracket to close
    while pending:
        node = pending.pop()
        if node is None:
            write(")")
            continue
        if pieces:
            write(" ")
        if node.word is not None:
            write(f"({escape_word(node.label)} {escape_word(node.word)})")
            continue
        write(f"({escape_word(node.label)}")
        pending.append(None)
        pending.extend(reversed(node.children))
    return "".join(pieces)


def format_lines(tree: Node, margin: int = 80) -> str:
    """Write the tree on several lines.

    A bracket that does not fit within `margin` columns puts each child on a line of its own, two
    columns further in.
    """
    fits = _widths(tree)
    pieces: list[str] = []
    # (node, its depth in brackets, the closing brackets that follow it on its line)
    pending: list[tuple[Node, int, int]] = [(tree, 0, 0)]
    while pending:
        node, depth, closing = pending.pop()
        if pieces:
            pieces.append("\n" + "  " * depth)
        if node.word is not None or 2 * depth + fits(node) + closing <= margin:
            pieces.append(format_line(node) + ")" * closing)
            continue
        pieces.append(f"({escape_word(node.label)}")
        last = len(node.children) - 1
        for index in range(last, -1, -1):
            after = closing + 1 if index == last else 0
            pending.append((node.children[index], depth + 1, after))
    return "".join(pieces)


def _widths(tree: Node) -> Callable[[Node], int]:
    """A function from a node of the tree to the length of its `format_line`."""
    widths: dict[int, int] = {}
    for node in reversed(list(tree)):
        if node.word is not None:
            width = 3 + len(escape_word(node.label)) + len(escape_word(node.word))
        else:
            width = 2 + len(escape_word(node.label))
            width += sum(1 + widths[id(child)] for child in node.children)
        widths[id(node)] = width
    return lambda node: widths[id(node)]
