"""The confidence of a parser, in attributes that are None where it was not computed.

- ``token._.head_confidence``: the probability that the token has its right head.
- ``token._.dep_confidence``: the probability that it has its right head and label.
- ``span._.confidence``: the probability that a span of ``doc.spans["constituency"]`` is in the
  right tree, with its label.
- ``doc._.parse_confidence``, ``span._.parse_confidence``: the mean of ``dep_confidence`` over the
  words of a Doc or of a sentence, which is the share of arcs that are expected to be right. Where
  no word has one, the mean of the brackets' confidence.

The first two and the brackets' are stored, and serialized with the Doc's ``user_data``.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from spacy.tokens import Doc, Span, Token

from ..brackets import Bracket
from ..trees.recent_reading import brackets_around
from ..trees.span_group import SPANS_KEY
from . import clear_stored, set_where_free, stored

ARC_NAMES = ("head_confidence", "dep_confidence")
"""Stored attributes of tokens."""
DIGITS = 4
"""Digits after the point of confidence in text."""


def set_arc_confidence(doc: Doc, confidence: np.ndarray) -> None:
    """Store how sure the arcs of a Doc are, in place of what was stored before.

    Args:
        doc: The Doc.
        confidence: (len(doc), 2) of each token's head, and of head and label together. NaN where a
            token has none, as whitespace has.
    """
    clear_stored(doc, ARC_NAMES)
    values = stored(doc)
    has_arc = ~np.isnan(confidence).any(1)
    places = doc.to_array("IDX")[has_arc].tolist()
    for name, column in zip(ARC_NAMES, confidence[has_arc].T.tolist(), strict=True):
        for place, probability in zip(places, column, strict=True):
            values["._.", name, place, None] = probability


def set_bracket_confidence(
    doc: Doc, confidence: Mapping[Bracket, float], spans_key: str = SPANS_KEY
) -> None:
    """Store how sure the brackets of a Doc are, in place of what was stored before.

    Args:
        doc: The Doc.
        confidence: The probability of brackets over its tokens.
        spans_key: The span group that they are in.
    """
    name = _of_brackets(spans_key)
    clear_stored(doc, [name])
    for (label, start, end), probability in confidence.items():
        key = "._.", name, *_limits(doc[start:end])
        stored(doc).setdefault(key, {})[label] = probability


def clear_bracket_confidence(doc: Doc, spans_key: str = SPANS_KEY) -> None:
    """Remove the stored confidence of the brackets of a span group."""
    clear_stored(doc, [_of_brackets(spans_key)])


def bracket_confidence(span: Span, spans_key: str = SPANS_KEY) -> float | None:
    """The confidence of a bracket: the Span's tokens with the Span's label.

    Returns:
        The probability; None where the parser of this span group stored none for such a bracket.
    """
    of_labels = stored(span.doc).get(("._.", _of_brackets(spans_key), *_limits(span)), {})
    return of_labels.get(span.label_)


def arc_confidence(tokens: Sequence[Token] | Doc | Span, name: str, doc: Doc) -> list[float | None]:
    """The confidence of the arcs of some tokens, read at once: spaCy makes an object for each
    attribute of a token.

    Args:
        tokens: The tokens.
        name: One of `ARC_NAMES`.
        doc: Their Doc.
    """
    values = stored(doc)
    if not values:
        return [None] * len(tokens)
    return [values.get(("._.", name, token.idx, None)) for token in tokens]


def parse_confidence(view: Doc | Span) -> float | None:
    """The mean confidence of the arcs of a Doc or Span, or of its brackets where no arc has one."""
    span = view[:]
    doc = span.doc
    if not doc.user_data:
        return None
    mean = _mean(arc_confidence(span, "dep_confidence", doc))
    if mean is not None:
        return mean
    return _mean(
        bracket_confidence(Span(doc, start, end, label))
        for label, start, end in brackets_around(span)
        if span.start <= start and end <= span.end
    )


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are known, if any is."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _of_brackets(spans_key: str) -> str:
    return f"{spans_key}_confidence"


def _limits(span: Span) -> tuple[int, int]:
    """The characters of a Span, by which spaCy stores attributes of Spans."""
    return span.start_char, span.end_char


for _name in ARC_NAMES:
    set_where_free(Token, _name, default=None)
set_where_free(Span, "confidence", getter=bracket_confidence)
for _owner in (Doc, Span):
    set_where_free(_owner, "parse_confidence", getter=parse_confidence)
