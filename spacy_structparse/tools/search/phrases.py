"""Phrases of a Doc by their label or kind: `doc._.phrases` and `doc._.chunks`."""

from spacy.tokens import Doc, Span

from ...trees.span_group import get_brackets
from ...trees.transform import base_label
from .errors import MissingTreesError
from .matcher import TreeMatcher

CHUNKS = {
    "NP": "@NP !<< @NP",
    "VP": "@VP !> @VP",
    "clause": "@S|SINV|SQ|SBARQ < @VP",
}
"""The kinds of chunks: noun phrases without another one inside; verb phrases with their
auxiliaries, one for each clause; clauses with a verb phrase of their own."""


def phrases(doc: Doc, label: str) -> list[Span]:
    """The phrases with a label, function tags aside.

    Raises:
        MissingTreesError: The Doc has no trees.
    """
    brackets = get_brackets(doc)
    if brackets is None:
        raise MissingTreesError(f"the Doc has no trees to find phrases in: {doc.text[:60]!r}")
    return [
        Span(doc, start, end, label=its_label)
        for its_label, start, end in brackets
        if base_label(its_label) == label
    ]


def chunks(doc: Doc, kind: str) -> list[Span]:
    """The chunks of a kind of `CHUNKS`, in pre-order.

    Raises:
        MissingTreesError: The Doc has no trees.
        ValueError: There is no such kind.
    """
    if kind not in CHUNKS:
        raise ValueError(f"{kind!r} is no kind of chunks; these are: {', '.join(CHUNKS)}")
    matcher = TreeMatcher(doc.vocab)
    matcher.add(kind, [CHUNKS[kind]])
    return [match.span for match in matcher(doc)]
