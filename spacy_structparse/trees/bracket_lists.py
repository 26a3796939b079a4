"""Conversion of trees to brackets over numbered words, and back.

Brackets are in pre-order, an outer bracket before an inner one, also in a unary chain. The first
bracket spans all words.
"""

import itertools
from collections.abc import Callable, Sequence

from ..brackets import TOP_LABEL, Bracket, first_crossing, preorder
from ..errors import TreeError
from .heads import head_words
from .node import WRAPPER_LABELS
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
        TreeError: The numbers of tags and words differ, or the brackets are not a tree
            over all words.
    """
    n = len(words)
    if len(tags) != n:
        raise TreeError(f"{n} words have {len(tags)} tags")
    ordered = sorted(itertools.starmap(Bracket, brackets), key=preorder)
    if not ordered or ordered[0][1:] != (0, n) or ordered != list(map(tuple, brackets)):
        raise TreeError(f"brackets over {n} words are in pre-order, the first over all")
    if any(bracket.start >= bracket.end for bracket in ordered) or first_crossing(ordered):
        raise TreeError("two brackets cross each other, or one has no words")
    leaves = [make_node(tag, (), word) for tag, word in zip(tags, words, strict=True)]
    (tree,) = nested_trees(brackets, lambda start, end: leaves[start:end])
    return unwrap(tree) if tree.label == TOP_LABEL else tree


def nested_trees(
    brackets: Sequence[tuple[str, int, int]], leaves: Callable[[int, int], list[Tree]]
) -> list[Tree]:
    """Build the trees of nested brackets in pre-order, one for each outermost bracket.

    Args:
        brackets: The brackets.
        leaves: A function from the first position and the one after the last to the leaves there;
            there may be fewer.
    """
    built: list[tuple[int, int, Tree]] = []  # (start, end, node) without a parent, leftmost last
    for label, start, end in reversed(brackets):
        children: list[Tree] = []
        position = start
        while built and built[-1][0] < end:
            first, after, node = built.pop()
            children += leaves(position, first)
            children.append(node)
            position = after
        children += leaves(position, end)
        if children:
            built.append((start, end, make_node(label, tuple(children), None)))
    return [
        root.children[0] if root.label == TOP_LABEL and len(root.children) == 1 else root
        for _, _, root in reversed(built)
    ]


def bracket_heads(tree: Tree) -> list[int]:
    """Find the head word of each of the `tree_brackets` of a tree, by the head-finding rules."""
    core = unwrap(tree)
    if core.word is not None:
        return [0]
    return [head for node, head in zip(core, head_words(core), strict=True) if node.word is None]
