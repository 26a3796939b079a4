"""Sentences as Docs of their own, with the span groups that spaCy's own copying drops."""

from collections.abc import Iterator, Sequence
from typing import Any

from spacy.tokens import Doc, Span

from ..trees.span_copies import SpansByStart
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
    spans = SpansByStart(whole)
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
