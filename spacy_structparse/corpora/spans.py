"""Span groups carried from one Doc to another by token, which spaCy's own copying drops."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from spacy.tokens import Doc, Span, SpanGroup

from .conllu_source import copy_source


def sentences_as_docs(sentences: Sequence[Span]) -> Iterator[Doc]:
    """`sentence.as_doc()` of each sentence, in time that grows with the length of their Doc.

    A Doc made keeps the span groups inside its sentence, the lines of CoNLL-U and whether spaces
    are known.

    Args:
        sentences: Spans of one Doc that do not overlap.
    """
    if not sentences:
        return
    whole = sentences[0].doc
    spans = _SpansByStart(whole)
    # as_doc would make this array of the whole Doc for every sentence.
    attributes: Any = whole._get_array_attrs()
    array: Any = whole.to_array(attributes)
    as_doc: Any = Span.as_doc  # spaCy's stub lacks these arguments
    for sentence in sentences:
        doc = as_doc(sentence, array_head=attributes, array=array)
        doc.has_unknown_spaces = whole.has_unknown_spaces
        spans.copy(sentence, doc, range(len(sentence)))
        copy_source(sentence, doc)
        yield doc


def copy_spans(source: Span, target: Doc, positions: Sequence[int]) -> None:
    """Put the spans that lie within `source` into the same groups of `target`, in order.

    `positions[i]` is where token `i` of `source` is in `target`. A group of the source's Doc is
    made even where no span of it lies within `source`.
    """
    _SpansByStart(source.doc).copy(source, target, positions)


class _SpansByStart:
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
