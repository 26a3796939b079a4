"""Span groups carried from one Doc to another by token, which spaCy's own copying drops."""

from collections.abc import Sequence

from spacy.tokens import Doc, Span, SpanGroup

from .conllu_source import copy_source


def sentence_as_doc(sentence: Span) -> Doc:
    """`sentence.as_doc()` that keeps the span groups inside it, the lines of CoNLL-U and whether
    spaces are known."""
    doc = sentence.as_doc()
    doc.has_unknown_spaces = sentence.doc.has_unknown_spaces
    copy_spans(sentence, doc, range(len(sentence)))
    copy_source(sentence, doc)
    return doc


def copy_spans(source: Span, target: Doc, positions: Sequence[int]) -> None:
    """Put the spans that lie within `source` into the same groups of `target`, in order.

    `positions[i]` is where token `i` of `source` is in `target`. A group of the source's Doc is
    made even where no span of it lies within `source`.
    """
    offset, end = source.start, source.end
    for key, group in source.doc.spans.items():
        copies = [
            Span(
                target,
                positions[span.start - offset],
                positions[span.end - 1 - offset] + 1,
                label=span.label,
                kb_id=span.kb_id,
                span_id=span.id,
            )
            for span in group
            if offset <= span.start and span.end <= end
        ]
        target.spans[key] = SpanGroup(
            target, name=group.name, attrs=dict(group.attrs), spans=copies
        )
