"""Trees as brackets over numbered words, as parsers take and give them, and back.

Brackets are in pre-order, the outer before the inner one also in a unary chain. The first spans all
words.
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
    """The brackets of a tree without traces, tags left out.

    The wrapper around the tree is left out too, except where there would otherwise be no bracket
    over all words (several phrases, or a bare word): then it is labelled TOP.
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
    """The tree that brackets in pre-order build over words; undoes `tree_brackets`, but for the
    wrapper: one that is left has several children.

    RAISES: TreeAlignmentError if there are not as many tags as words, or brackets that are not a
        tree over all of them.
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
        """Read words up to `until`; close the brackets that end before a bracket from `start`."""
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
    """The head word of each of the `tree_brackets` of a tree, by the head-finding rules."""
    core = unwrap(tree)
    if core.word is not None:
        return [0]
    return [head for node, head in zip(core, head_words(core), strict=True) if node.word is None]
