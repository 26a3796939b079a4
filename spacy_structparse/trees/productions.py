"""The productions of a tree, as a grammar has them."""

from collections.abc import Iterator
from typing import NamedTuple

from .node import Node


class Production(NamedTuple):
    """A node's label and what is right below it. It prints as NLTK's does: `S -> NP VP`.

    Attributes:
        label: The phrase label or tag on the left.
        children: The labels of the children; empty for a preterminal.
        word: The word of a preterminal; None for a bracket.
    """

    label: str
    children: tuple[str, ...]
    word: str | None = None

    def __str__(self) -> str:
        right = " ".join(self.children) if self.word is None else repr(self.word)
        return f"{self.label} -> {right}"


def productions(tree: Node) -> Iterator[Production]:
    """List the production of every node in pre-order."""
    for node in tree:
        yield Production(node.label, tuple(child.label for child in node.children), node.word)
