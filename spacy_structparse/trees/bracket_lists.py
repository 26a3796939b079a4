"""Conversion of trees to brackets over numbered words, and back.

Brackets are in pre-order, an outer bracket before an inner one, also in a unary chain. The first
bracket spans all words.
"""

import warnings
from collections.abc import Sequence

from ..brackets import TOP_LABEL, Bracket
from .errors import TreeAlignmentError
from .heads import head_words
from .labels import WRAPPER_LABELS
from .transform import unwrap
from .tree import Tree, make_node


def tree_brackets(tree: Tree) -> list[Bracket]:
    """List the brackets of a tree without traces.

    Tags and the wrapper around the tree are left out. Where no other bracket spans all words
    (several phrases, or a bare word), the wrapper is kept, with the label TOP.
    """
    core = unwrap(tree)
    if core.word is not None:
        return [Bracket(TOP_LABEL, 0, 1)]
    brackets = core.spans()
    if core.label in WRAPPER_LABELS:
        brackets[0] = brackets[0]._replace(label=TOP_LABEL)
    return brackets


def tree_from_brackets(
    brackets: Sequence[tuple[str, int, int]], words: Sequence[str], tags: Sequence[str]
) -> Tree:
    """Build the tree of brackets; the inverse of `tree_brackets`, but for the wrapper.

    Args:
        brackets: Brackets in pre-order.
        words: The words.
        tags: The tag of each word.

    Returns:
        The tree. It has a wrapper only around several children.

    Raises:
        TreeAlignmentError: The numbers of tags and words differ, or the brackets are not a tree
            over all words.
    """
    if brackets and not isinstance(brackets[0][0], str):
        warnings.warn(
            "tree_from_brackets takes (label, start, end), no longer (start, end, label); the old "
            "order will be an error in the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        brackets = [Bracket(label, start, end) for start, end, label in brackets]  # type: ignore[misc]
    n = len(words)
    if len(tags) != n:
        raise TreeAlignmentError(f"{n} words have {len(tags)} tags")
    if not brackets or tuple(brackets[0][1:]) != (0, n):
        raise TreeAlignmentError(f"no bracket over all {n} words comes first")
    leaves = [make_node(tag, (), word) for tag, word in zip(tags, words, strict=True)]
    # Open brackets with their children so far; below them a place for the whole tree.
    around: list[tuple[int, str, list[Tree]]] = [(n, "", [])]
    position = 0

    def advance(until: int, start: int) -> None:
        """Read words up to `until`, and close the brackets that end at `start` or before."""
        nonlocal position
        while len(around) > 1 and around[-1][0] <= start:
            end, label, children = around.pop()
            children += leaves[position:end]
            position = max(position, end)
            around[-1][2].append(make_node(label, tuple(children), None))
        around[-1][2].extend(leaves[position:until])
        position = max(position, until)

    for label, start, end in brackets:
        advance(start, start)
        if not position == start < end <= around[-1][0]:
            raise TreeAlignmentError(
                f"the bracket {label!r} over words {start} to {end} crosses another one, has no "
                "words or is out of order"
            )
        around.append((end, label, []))
    advance(n, n)
    tree = around[0][2][0]
    return unwrap(tree) if tree.label == TOP_LABEL else tree


def bracket_heads(tree: Tree) -> list[int]:
    """Find the head word of each of the `tree_brackets` of a tree, by the head-finding rules."""
    core = unwrap(tree)
    if core.word is not None:
        return [0]
    return [head for node, head in zip(core, head_words(core), strict=True) if node.word is None]
