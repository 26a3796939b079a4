r"""Penn bracket notation: its escapes and layouts.

In a `Tree` a word is text. In the notation a word has neither round brackets nor ASCII whitespace.
They are escaped in one way:

* `(` and `)` are `-LRB-` and `-RRB-`, alone and inside a word (`-LRB-a-RRB-` is `(a)`);
* whitespace (which a merged token may have) is `-U+0020-` and so on, by its code point.

A word that is already spelled `-LRB-` is written as it is and read back as `(`: the notation
has one word for both. A label is escaped like a word, except that the tags `-LRB-` and `-RRB-` are
labels of their own and stay. Everything else, `[`, `-LSB-` and `\/` included, is written and read
as it stands.
"""

import re
from functools import lru_cache

from .node import Node

_ROUND = {"-LRB-": "(", "-RRB-": ")"}
_ROUND_ESCAPES = {text: escape for escape, text in _ROUND.items()}
_CODE = "U\\+(?!D[89A-F])[0-9A-F]{4}"  # half of a surrogate pair is no character
_NEEDS_ESCAPE = re.compile(rf"[() \t\n\r\f\v]|-{_CODE}-")
# In a word that is escaped, a hyphen which would look like the start of an escape is one too.
_ESCAPED_CHARACTER = re.compile(rf"[() \t\n\r\f\v]|-(?=(?:LRB|RRB|{_CODE})[-() \t\n\r\f\v])")
_ESCAPE = re.compile(rf"-(LRB|RRB|{_CODE})-")


def escape_word(word: str) -> str:
    """Spell a word in the notation, without round brackets or whitespace."""
    if not _NEEDS_ESCAPE.search(word):
        return word
    return _ESCAPED_CHARACTER.sub(_escape_character, word)


def _escape_character(match: re.Match[str]) -> str:
    character = match.group()
    return _ROUND_ESCAPES.get(character) or f"-U+{ord(character):04X}-"


def unescape_word(word: str) -> str:
    """Read the text of a word; the inverse of `escape_word`."""
    return _ESCAPE.sub(_unescape_match, word) if "-" in word else word


def _unescape_match(match: re.Match[str]) -> str:
    return _ROUND.get(match.group()) or chr(int(match.group(1)[2:], 16))


@lru_cache(maxsize=4096)
def unescape_label(label: str) -> str:
    """Read the label of a bracket; the tags -LRB- and -RRB- stay. Equal labels share memory."""
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
    widths: dict[int, int] = {}  # of one-line texts, by the id of the node
    for node in reversed(list(tree)):
        width = 2 + len(escape_word(node.label))
        if node.word is not None:
            width += 1 + len(escape_word(node.word))
        widths[id(node)] = width + sum(1 + widths[id(child)] for child in node.children)
    pieces: list[str] = []
    # (node, its depth in brackets, the closing brackets that follow it on its line)
    pending: list[tuple[Node, int, int]] = [(tree, 0, 0)]
    while pending:
        node, depth, closing = pending.pop()
        if pieces:
            pieces.append("\n" + "  " * depth)
        if node.word is not None or 2 * depth + widths[id(node)] + closing <= margin:
            pieces.append(format_line(node) + ")" * closing)
            continue
        pieces.append(f"({escape_word(node.label)}")
        last = len(node.children) - 1
        for index in range(last, -1, -1):
            after = closing + 1 if index == last else 0
            pending.append((node.children[index], depth + 1, after))
    return "".join(pieces)
