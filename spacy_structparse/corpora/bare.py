"""Docs without some of their annotation."""

from collections.abc import Collection
from typing import Any

from spacy.tokens import Doc

from ..extensions.multiword import multiword_spans, set_multiword_tokens
from ..trees.span_copies import copy_spans
from .json_lines import RECORD

# Attributes of tokens that annotate them; spaCy derives the others.
_ANNOTATION = (
    "TAG", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START", "NORM",
    "ENT_IOB", "ENT_TYPE", "ENT_KB_ID", "ENT_ID",
)  # fmt: skip


def words_alone(doc: Doc) -> Doc:
    """The words, multiword tokens and sentence starts of a Doc, with the record that it was read
    from."""
    has_starts = doc.has_annotation("SENT_START")
    bare = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[bool(token.is_sent_start) for token in doc] if has_starts else None,
    )
    bare.has_unknown_spaces = doc.has_unknown_spaces
    spans = [(span.start, span.end, span.label_) for span in multiword_spans(doc)]
    set_multiword_tokens(bare, spans)
    if RECORD in doc.user_data:
        bare.user_data[RECORD] = doc.user_data[RECORD]
    return bare


def without_attributes(doc: Doc, attributes: Collection[str]) -> Doc:
    """A copy of a Doc without attributes of its tokens, such as `TAG` or `HEAD`.

    Sentence starts stay where heads go. Span groups, categories, `user_data` and the tensor stay.
    """
    kept: list[int | str] = [name for name in _ANNOTATION if name not in attributes]
    bare = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        user_data=doc.user_data,
    )
    if len(doc):
        array: Any = doc.to_array(kept)
        bare.from_array(kept, array)
    bare.has_unknown_spaces = doc.has_unknown_spaces
    bare.cats, bare.tensor = doc.cats, doc.tensor
    copy_spans(doc[:], bare, range(len(doc)))
    return bare
