"""Attributes of trees on Doc, Span and Token, with benepar's names too.

Ours are `doc._.constituency_tree`, `span._.constituency_tree` and `span._.as_doc()`. benepar's, on
Span and Token, are `labels`, `parse_string`, `constituents`, `parent` and `children`. They are
computed at each access. A Span that is no constituent, or whose Doc has no trees, gives None or ().
TreeError is raised only where stored brackets cross.

They read `doc.spans["constituency"]`. For a parser with another `spans_key` use `get_tree`,
`sentence_trees` or `get_brackets` with that key.

A constituent is the span of a bracket, or one word. The brackets of a unary chain are one
constituent with several labels. Whitespace tokens at the ends of a Span make no difference.
"""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc, Span, Token

from ..brackets import TOP_LABEL, Bracket
from .doc import get_tree
from .node import UNKNOWN_TAG
from .recent_reading import brackets_around
from .span_group import as_doc
from .words import trimmed, words_of

Limits = tuple[int, int]


def labels(view: Span | Token) -> tuple[str, ...]:
    """The labels of the brackets over exactly this Span, outermost first.

    A unary chain has several, a Span that is no constituent has none. A word without a bracket of
    its own has its tag.
    """
    constituent = _constituent(view)
    if constituent is None:
        return ()
    brackets, (start, end) = constituent
    names = tuple(label for label, first, after in brackets if (first, after) == (start, end))
    # TOP over one word stands for a sentence without any bracket.
    if names not in ((), (TOP_LABEL,)) or end > start + 1:
        return names
    token = view.doc[start]
    return (token.tag_ or token.pos_ or UNKNOWN_TAG,)


def parse_string(view: Span | Token) -> str | None:
    """The constituent in bracket notation on one line; None if the Span is no constituent."""
    tree = get_tree(view)
    return None if tree is None else str(tree)


def constituents(view: Span | Token) -> tuple[Span, ...]:
    """The constituents within this one in pre-order, itself and every word included.

    A Span that is no constituent has none.
    """
    return tuple(view.doc[start:end] for start, end in _within(view))


def children(view: Span | Token) -> tuple[Span, ...]:
    """The largest constituents within this one, left to right.

    A word has none, nor has a Span that is no constituent.
    """
    largest = []
    reached = 0
    for start, end in _within(view)[1:]:
        if start >= reached:
            largest.append(view.doc[start:end])
            reached = end
    return tuple(largest)


def parent(view: Span | Token) -> Span | None:
    """The smallest constituent around this one.

    It is None for a sentence and for a Span that is no constituent.
    """
    constituent = _constituent(view)
    if constituent is None:
        return None
    brackets, (start, end) = constituent
    larger = [
        (first, after)
        for _, first, after in brackets
        if first <= start and end <= after and (first, after) != (start, end)
    ]
    # In pre-order the innermost comes last.
    return view.doc[larger[-1][0] : larger[-1][1]] if larger else None


def _constituent(view: Span | Token) -> tuple[list[Bracket], Limits] | None:
    """The brackets around this constituent, and its limits; None if it is none."""
    limits = trimmed(view)
    if limits is None:
        return None
    brackets = brackets_around(view)
    start, end = limits
    for _, first, after in brackets:
        if (first, after) == limits or (end == start + 1 and first <= start < after):
            return brackets, limits
    return None


def _within(view: Span | Token) -> list[Limits]:
    """The constituents within a constituent in pre-order, words included."""
    constituent = _constituent(view)
    if constituent is None:
        return []
    brackets, (start, end) = constituent
    places = {(first, after) for _, first, after in brackets if start <= first and after <= end}
    places.update((token.i, token.i + 1) for token in words_of(view.doc[start:end]))
    return sorted(places, key=lambda place: (place[0], -place[1]))


_GETTERS: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    (Doc, "constituency_tree", get_tree),
    (Span, "constituency_tree", get_tree),
    *(
        (owner, getter.__name__, getter)
        for owner in (Span, Token)
        for getter in (labels, parse_string, constituents, parent, children)
    ),
)


def register_extensions() -> list[str]:
    """Set the attributes, except where another package has set one of the same name.

    The import of `spacy_structparse.trees` calls this function. Further calls do no harm. benepar
    overwrites attributes of its names: import it first where both are used.

    Returns:
        The names left to another package, such as `Span.labels`.
    """
    taken = []
    for owner, name, getter in _GETTERS:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter)
        elif owner.get_extension(name)[2] is not getter:
            taken.append(f"{owner.__name__}.{name}")
    if not Span.has_extension("as_doc"):
        Span.set_extension("as_doc", method=as_doc)
    return taken
