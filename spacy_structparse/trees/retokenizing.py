"""Span groups that follow tokens which are merged or split.

spaCy's retokenizer leaves ``doc.spans`` as it was. Its groups then name other words, or end in E035
where the Doc is stored or sent to another process. Here every group is fitted to the new tokens by
its character offsets, which stay right, when ``doc.retokenize()`` ends.
"""

import warnings
from typing import Any

import numpy as np
import spacy.tokens.doc
import srsly
from spacy.tokens import Doc, SpanGroup

from .span_group import SPAN_RECORD, SPANS_KEY, token_limits, touched_tokens


def follow_retokenization() -> None:
    """Let the span groups of all Docs follow their tokens. Further calls do no harm.

    In a spaCy without the class `Retokenizer` they do not, and `realign_trees` and the functions
    that read groups by character offsets remain.
    """
    original: Any = getattr(spacy.tokens.doc, "Retokenizer", None)
    if not isinstance(original, type) or hasattr(original, "realigns_groups"):
        return

    class Retokenizer(original):  # type: ignore[misc, valid-type]
        """spaCy's retokenizer, which fits the Doc's span groups to the new tokens at its end."""

        realigns_groups = True

        def __init__(self, doc: Doc) -> None:
            super().__init__(doc)
            self._spans_of = doc

        def __exit__(self, *args: Any) -> None:
            super().__exit__(*args)
            for group in self._spans_of.spans.values():
                _realign(group, self._spans_of)

    spacy.tokens.doc.Retokenizer = Retokenizer  # type: ignore[attr-defined]


def realign_trees(doc: Doc, spans_key: str = SPANS_KEY) -> None:
    """Fit a stored group to tokens that were merged or split before this package was imported.

    Afterwards spaCy's `doc.spans`, `to_bytes`, `copy` and `DocBin` work again. A Doc without trees
    stays as it is.
    """
    if spans_key in doc.spans:
        _realign(doc.spans[spans_key], doc)


def _realign(group: SpanGroup, doc: Doc) -> None:
    """Fit a group to the tokens, and leave out the spans that are no tokens any more."""
    attrs, group.attrs = group.attrs, {}  # may hold what cannot be stored
    content = srsly.msgpack_loads(group.to_bytes())
    records, places, is_cut = [], [], False
    for place, record in enumerate(content["spans"]):
        *ids, _, _, start_char, end_char = SPAN_RECORD.unpack(record)
        limits = token_limits(doc, start_char, end_char)
        if limits is not None:
            span = doc[limits[0] : limits[1]]
            places.append(place)
            records.append(SPAN_RECORD.pack(*ids, *limits, span.start_char, span.end_char))
        else:
            is_cut = is_cut or len(touched_tokens(doc, start_char, end_char) or ()) != 1
    scores = attrs.get("scores")  # spancat's, one for each span
    if scores is not None and len(scores) == len(content["spans"]) > len(places):
        attrs = {**attrs, "scores": np.take(scores, places, 0)}
    group.from_bytes(srsly.msgpack_dumps({**content, "spans": records}))
    group.attrs = attrs
    if is_cut:
        warnings.warn(
            f"merged tokens cut spans of doc.spans[{group.name!r}], which leaves them out; merge "
            "whole spans to keep them",
            stacklevel=3,
        )
