"""Copies of the span groups of a part of a Doc, in another Doc."""

from bisect import bisect_left
from collections.abc import Sequence

from spacy.tokens import Doc, Span, SpanGroup


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
    """The span groups of a Doc, from which those of any part of it are found by bisection."""

    def __init__(self, doc: Doc) -> None:
        self._groups = doc.spans
        # Each span with its place in the group, sorted by its first token.
        self._spans = {
            key: sorted(enumerate(group), key=lambda one: one[1].start)
            for key, group in doc.spans.items()
        }
        self._starts = {key: [one.start for _, one in found] for key, found in self._spans.items()}

    def copy(self, source: Span, target: Doc, positions: Sequence[int]) -> None:
        """As `copy_spans`."""
        offset, end = source.start, source.end
        for key, group in self._groups.items():
            starts = self._starts[key]
            inside = slice(bisect_left(starts, offset), bisect_left(starts, end))
            copies = [
                Span(
                    target,
                    positions[span.start - offset],
                    positions[span.end - 1 - offset] + 1,
                    label=span.label,
                    kb_id=span.kb_id,
                    span_id=span.id,
                )
                for _, span in sorted(self._spans[key][inside], key=lambda one: one[0])
                if span.end <= end
            ]
            target.spans[key] = SpanGroup(
                target, name=group.name, attrs=dict(group.attrs), spans=copies
            )
