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
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

import srsly
from spacy.tokens import Doc, Span, SpanGroup

from ..brackets import Bracket, first_crossing, preorder
from ..errors import TreeError


def token_limits(doc: Doc, start: int, end: int) -> tuple[int, int] | None:
    """Find the tokens of a span by its characters.

    Whitespace that was merged into its outer tokens does not count.

    Args:
        doc: The Doc.
        start: The span's first character.
        end: The character after its last.

    Returns:
        The first token and the one after the last. None if there are none, or if the span begins
        or ends inside a token.
    """
    span = touched_tokens(doc, start, end)
    if span is None:
        return None
    if (span.start_char, span.end_char) != (start, end):
        before, after = start - span.start_char, end - span.start_char
        if span.text[:before].strip() or span.text[after:].strip():
            return None
    return span.start, span.end


def touched_tokens(doc: Doc, start: int, end: int) -> Span | None:
    """Find the tokens that have some of these characters, if there are any."""
    span = doc.char_span(start, end, alignment_mode="expand") if start < end else None
    return span or None


def excerpt(text: str, limit: int = 60) -> str:
    """The text quoted, cut to about `limit` characters."""
    return repr(text if len(text) <= limit else text[:limit] + "…")


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
        TreeError: Brackets cross each other.
    """
    if spans_key not in doc.spans:
        return None
    placed = (
        (label, token_limits(doc, first, after))
        for label, first, after in spans_by_character(doc.spans[spans_key])
    )
    # Stable: the order within a unary chain is the group's.
    brackets = sorted((Bracket(label, *limits) for label, limits in placed if limits), key=preorder)
    crossing = first_crossing(brackets)
    if crossing is not None:
        outer, inner = crossing
        raise TreeError(
            f"two brackets of doc.spans[{spans_key!r}] cross: {outer} and {inner} (tokens): "
            f"{excerpt(doc[outer.start : inner.end].text)}"
        )
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


def as_doc(span: Span, *, copy_user_data: bool = False) -> Doc:
    """Return ``span.as_doc()`` with the span groups inside the Span, among them its trees and its
    multiword tokens, which spaCy leaves out.

    Args:
        span: The Span.
        copy_user_data: As in ``Span.as_doc``; confidence, for example, is user data.
    """
    doc = span.as_doc(copy_user_data=copy_user_data)
    copy_spans(span, doc, range(len(span)))
    return doc


def copy_spans(source: Span, target: Doc, positions: Sequence[int]) -> None:
    """Put the spans that lie within `source` into the same groups of `target`, in order.

    `positions[i]` is where token `i` of `source` is in `target`. A group of the source's Doc is
    made even where no span of it lies within `source`.
    """
    SpansByStart(source.doc).copy(source, target, positions)


class SpansByStart:
    """The span groups of a Doc, by the first tokens of their spans: finds those of any part of it
    without a look at the others."""

    def __init__(self, doc: Doc) -> None:
        self._groups = doc.spans
        # For a group and a token, the spans that begin there, each with its place in the group.
        self._beginning: defaultdict[tuple[str, int], list[tuple[int, Span]]] = defaultdict(list)
        for key, group in doc.spans.items():
            for place, span in enumerate(group):
                self._beginning[key, span.start].append((place, span))

    def copy(self, source: Span, target: Doc, positions: Sequence[int]) -> None:
        """As `copy_spans`."""
        offset, tokens = source.start, range(source.start, source.end)
        for key, group in self._groups.items():
            inside = [placed for i in tokens for placed in self._beginning.get((key, i), ())]
            inside.sort(key=itemgetter(0))
            copies = [
                Span(
                    target,
                    positions[span.start - offset],
                    positions[span.end - 1 - offset] + 1,
                    label=span.label,
                    kb_id=span.kb_id,
                    span_id=span.id,
                )
                for _, span in inside
                if span.end <= source.end
            ]
            target.spans[key] = SpanGroup(
                target, name=group.name, attrs=dict(group.attrs), spans=copies
            )
