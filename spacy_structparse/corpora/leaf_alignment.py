"""Leaves of trees against tokens: replaced, merged and respelled leaves, reduced labels."""

import re
import unicodedata
from collections.abc import Sequence

from ..trees import Tree, base_label
from .multiword import MergedGroup
from .options import Labels

_INDEX = re.compile(r"(?<=.)(?:[-=]\d+)+$")
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


def reduce_label(label: str, labels: Labels) -> str:
    """`NP-SBJ-1=2` as `NP` ("bare"), `NP-SBJ` ("functions") or as it stands ("full")."""
    if labels == "bare":
        return base_label(label)
    return _INDEX.sub("", label) if labels == "functions" else label


def rebuild(tree: Tree, leaves: Sequence[Tree | None], labels: Labels) -> Tree | None:
    """The tree with its leaves replaced one by one (None: removed) and its labels reduced.

    Brackets left without leaves go too; None if nothing is left.
    """
    # `fold` works from the right, so leaves are taken from the end.
    remaining = list(leaves)

    def combine(node: Tree, children: Sequence[Tree | None]) -> Tree | None:
        if node.word is not None:
            return remaining.pop()
        kept = [child for child in children if child is not None]
        return Tree(reduce_label(node.label, labels), kept) if kept else None

    result: Tree | None = tree.fold(combine)
    return result


def merged_leaves(leaves: Sequence[Tree], groups: Sequence[MergedGroup]) -> list[Tree | None]:
    """The leaves with each group's main one alone in place of the group.

    So the merged token stands in the tree where its syntactic head did, and a constituent that was
    but another part of it (the NP over "It" in "It's") is gone.
    """
    kept: list[Tree | None] = list(leaves)
    for group in groups:
        for word in range(group.start, group.end):
            if word != group.main:
                kept[word] = None
    return kept
