"""Leaves of trees against tokens: replaced and merged leaves, reduced labels."""

import re
from collections.abc import Sequence

from ..trees import Tree, base_label
from .multiword import MergedGroup
from .options import Labels

_INDEX = re.compile(r"(?<=.)(?:[-=]\d+)+$")


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
