"""The interface of a tree's nodes, for code that reads, writes or draws any of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self, TypeVar


class Node(Protocol):
    """A node with everything below it; see :class:`~spacy_structparse.trees.tree.Tree`."""

    @property
    def label(self) -> str: ...

    @property
    def word(self) -> str | None: ...

    @property
    def children(self) -> Sequence[Self]: ...

    def __iter__(self) -> Iterator[Self]: ...

    def words(self) -> list[str]: ...

    def fold(self, combine: Callable[[Any, Sequence[Any]], Any]) -> Any: ...


N = TypeVar("N", bound=Node)

MakeNode = Callable[[str, tuple[N, ...], str | None], N]
"""A function from label, children and word, known to be right, to a node."""
