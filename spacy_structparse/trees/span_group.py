"""Brackets in a Doc: reading and writing the span group `doc.spans["constituency"]`.

The group has a labelled span for each bracket, from its first leaf to its last, in pre-order: an
outer bracket before an inner one, also in a unary chain. The wrapper around a sentence is not
stored, unless no other bracket spans the whole sentence (several phrases, or a bare word): then it
is a span with the label TOP. A sentence without a span has no tree. A parser with another
`spans_key` keeps its brackets in the group of that name.

After tokens were merged or split, its character offsets stay right. The functions here read these,
since its token offsets are wrong where `retokenizing` could not fit them to the new tokens.
"""

import struct
from collections.abc import Iterable, Sequence

import srsly
from spacy.tokens import Doc, Span, SpanGroup

from ..brackets import Bracket, preorder
from .errors import TreeAlignmentError
from .offsets import TokenOffsets, excerpt

SPANS_KEY = "constituency"

SPAN_RECORD = struct.Struct(">QQQllll")  # id, kb_id, label, start, end, start_char, end_char


def set_brackets(doc: Doc, brackets: Iterable[Bracket], spans_key: str = SPANS_KEY) -> None:
    """Store brackets unchecked, and remove those the Doc had.

    Args:
        doc: The Doc.
        brackets: Brackets over tokens in pre-order; the first of each sentence spans it.
        spans_key: The span group to write.
    """
    spans = [Span(doc, start, end, label=label) for label, start, end in brackets]
    doc.spans[spans_key] = SpanGroup(doc, name=spans_key, spans=spans)


def get_brackets(doc: Doc, spans_key: str = SPANS_KEY) -> list[Bracket] | None:
    """Read the stored brackets in pre-order, over the Doc's present tokens.

    A bracket that begins or ends inside a token that was merged since is left out.

    Returns:
        The brackets; None if the Doc has no such span group.

    Raises:
        TreeAlignmentError: Brackets cross each other.
    """
    if spans_key not in doc.spans:
        return None
    tokens = TokenOffsets(doc)
    brackets: list[Bracket] = []
    for label, start_char, end_char in spans_by_character(doc.spans[spans_key]):
        limits = tokens.limits(start_char, end_char)
        if limits is not None:
            brackets.append(Bracket(label, *limits))
    # Stable: the order within a unary chain is the group's.
    brackets.sort(key=preorder)
    _check_nesting(doc, brackets, spans_key)
    return brackets


def spans_by_character(group: SpanGroup) -> list[tuple[str, int, int]]:
    """(label, start, end) of a group's spans, in characters, which stay right after merging."""
    try:
        return [(span.label_, span.start_char, span.end_char) for span in group]
    except IndexError:
        # Merged tokens left the group with offsets beyond the Doc (E035). Its bytes are the one
        # view of it that does not check them.
        strings = group.doc.vocab.strings
        spans = map(SPAN_RECORD.unpack, srsly.msgpack_loads(group.to_bytes())["spans"])
        return [(strings[label], start, end) for _, _, label, _, _, start, end in spans]


def _check_nesting(doc: Doc, brackets: Sequence[Bracket], spans_key: str) -> None:
    around: list[Bracket] = []
    for bracket in brackets:
        label, start, end = bracket
        while around and around[-1].end <= start:
            around.pop()
        if around and end > around[-1].end:
            outer, outer_start, outer_end = around[-1]
            raise TreeAlignmentError(
                f"two brackets of doc.spans[{spans_key!r}] cross: {outer!r} over tokens "
                f"{outer_start} to {outer_end} and {label!r} over tokens {start} to {end}: "
                f"{excerpt(doc[outer_start:end].text)}"
            )
        around.append(bracket)
