"""Nodes of trees: their interface, the labels that stand for structure alone, and errors."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, Self, TypeVar

EMPTY_TAG = "-NONE-"
"""The tag of traces and other leaves without a word in the text."""

WRAPPER_LABELS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})
"""Labels of the bracket that some treebanks put around every sentence."""

UNKNOWN_TAG = "XX"
"""The tag of a leaf whose token has none."""

_TRACE_TAG = re.compile(r"\*T\d+\*(?:-.*)?")
_STARRED = re.compile(r"\*[^*\s]+\*(?:-\d+)?|\*-\d+")
_WITH_ZERO = re.compile(r"(?:C|W\w*P)(?:[-=].*)?")


def is_empty_category(label: str, word: str) -> bool:
    """Tell whether a leaf stands for no word of the text.

    The Penn Treebank tags such leaves `-NONE-`, and NeGra in Penn brackets `*T1*-SB`. Historical
    corpora put them right under a phrase: `(NP-SBJ *con*)`, `(NP *ICH*-1)`, and a silent
    complementizer or relative pronoun as `(C 0)` and `(WNP-1 0)`.
    """
    if label == EMPTY_TAG or (label.startswith("*") and _TRACE_TAG.fullmatch(label)):
        return True
    if word.startswith("*"):
        return _STARRED.fullmatch(word) is not None
    return word == "0" and _WITH_ZERO.fullmatch(label) is not None


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
