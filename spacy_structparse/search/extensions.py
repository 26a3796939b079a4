"""Attributes of search on Doc: `syntax_measures`, `phrases` and `chunks`.

- ``doc._.syntax_measures``: the measures of :mod:`.measures`, by name.
- ``doc._.phrases("NP")``: the phrases with a label, function tags aside, as labelled Spans in
  pre-order. A phrase comes before those inside it.
- ``doc._.chunks(kind)``: phrases of a kind, `NP`, `VP` or `clause`; see `CHUNKS`.
"""

from spacy.tokens import Doc, Span

from ..trees.span_group import get_brackets
from ..trees.transform import base_label
from .errors import MissingTreesError
from .matcher import TreeMatcher
from .measures import syntax_measures

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


if not Doc.has_extension("syntax_measures"):
    Doc.set_extension("syntax_measures", getter=syntax_measures)
for method in (phrases, chunks):
    if not Doc.has_extension(method.__name__):
        Doc.set_extension(method.__name__, method=method)
