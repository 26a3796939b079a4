"""Trees to and from NLTK, which is not needed to read them."""

from collections.abc import Iterator
from typing import Any

from .node import Node
from .notation import unescape_label, unescape_word


def to_nltk(tree: Node) -> Any:
    """Convert a tree to an `nltk.Tree`; see `Tree.to_nltk`."""
    try:
        from nltk.tree import Tree as NltkTree
    except ImportError as error:
        raise ImportError(
            "Tree.to_nltk() needs NLTK: python -m pip install 'spacy-structparse[nltk]'"
        ) from error
    return tree.fold(
        lambda node, children: NltkTree(
            node.label, list(children) if node.word is None else [node.word]
        )
    )


def rows_of_nltk(tree: Any) -> Iterator[tuple[str, str | None, int]]:
    """Read the nodes of an `nltk.Tree` in pre-order.

    Args:
        tree: An object with `label()`, which iterates over its children. A string is a word.

    Yields:
        Label, word (None for a bracket) and number of children of each node.

    Raises:
        TypeError: A node is no such object, or its label is no string.
        ValueError: A node is empty, or a word has no tag of its own.
    """
    pending = [tree]
    while pending:
        node = pending.pop()
        if not callable(getattr(node, "label", None)):
            raise TypeError(f"Tree.from_nltk() reads an nltk.Tree, not {node!r}")
        label, children = node.label(), list(node)
        if not isinstance(label, str):
            raise TypeError(f"the label {label!r} of an NLTK tree is not a string")
        words = [child for child in children if isinstance(child, str)]
        if not children:
            raise ValueError(f"the NLTK tree {label!r} has neither children nor a word")
        if not words:
            yield unescape_label(label), None, len(children)
            pending.extend(reversed(children))
        elif len(children) > 1:
            raise ValueError(
                f"the word {words[0]!r} under {label!r} has no tag: in a Tree every word is under "
                f"a bracket of its own, such as (NN {words[0]})"
            )
        elif not label or not words[0]:
            raise ValueError(f"a preterminal needs a tag and a word, not {label!r}, {words[0]!r}")
        else:
            yield unescape_label(label), unescape_word(words[0]), 0
