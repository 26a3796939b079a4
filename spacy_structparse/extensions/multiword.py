"""Multiword tokens of a Doc: `du` over the words `de` and `le`.

A Doc holds syntactic words, as Universal Dependencies has them. The span group
``doc.spans["multiword"]`` has a span for every multiword token: over its words, with its form as
the label. It is serialized with the Doc and in `.spacy` files.

- ``doc._.surface_text``, ``span._.surface_text``: the text with multiword tokens in place of their
  words: the text that was tokenized.
- ``doc._.surface_offsets``: for every token, the limits in ``doc._.surface_text`` of the surface
  token that it belongs to. All words of a multiword token have its limits.

After tokens were merged or split, its character offsets stay right; the functions here read these.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spacy.tokens import Doc, Span, SpanGroup

from ..trees.span_group import spans_by_character
from . import set_where_free

MULTIWORD = "multiword"


class SurfaceUnit(NamedTuple):
    """A surface token: a multiword token or a word that is in none.

    Attributes:
        start: Index in the Doc of its first token.
        end: Index after its last token.
        form: Its text.
        space: The whitespace after it, " " or "".
    """

    start: int
    end: int
    form: str
    space: str


class MultiwordToken(NamedTuple):
    """A multiword token in a text.

    Attributes:
        start: Where its form begins in the text, in characters.
        end: Where it ends.
        words: Its words.
    """

    start: int
    end: int
    words: tuple[str, ...]


def set_multiword_tokens(doc: Doc, tokens: Iterable[tuple[int, int, str]]) -> None:
    """Set the multiword tokens of a Doc: index of the first token, index after the last, form.

    The group is left out where there are none.
    """
    spans = [Span(doc, start, end, label=form) for start, end, form in tokens]
    if spans:
        doc.spans[MULTIWORD] = SpanGroup(doc, name=MULTIWORD, spans=spans)
    else:
        doc.spans.pop(MULTIWORD, None)


def multiword_spans(view: Doc | Span) -> list[Span]:
    """The multiword tokens in a Doc or Span, over its present tokens, with their forms as labels.

    One whose words were merged into a token of their own is over that token. One that begins or
    ends inside a merged token is left out.
    """
    doc = view.doc
    if MULTIWORD not in doc.spans or not len(view):
        return []
    first, last = view[0].idx, view[-1].idx + len(view[-1])
    spans = (
        doc.char_span(start, end, label=form)
        for form, start, end in spans_by_character(doc.spans[MULTIWORD])
        if first <= start and end <= last
    )
    return [span for span in spans if span]


def surface_units(view: Doc | Span) -> Iterator[SurfaceUnit]:
    """The surface tokens of a Doc or Span, in order, whitespace tokens included.

    The words of a multiword token that reaches out of the Span, or overlaps an earlier one, are
    surface tokens of their own.
    """
    doc, start = (view, 0) if isinstance(view, Doc) else (view.doc, view.start)
    end = start + len(view)
    spans = {span.start: span for span in multiword_spans(view)}
    place = start
    while place < end:
        span = spans.get(place)
        if span is not None:
            yield SurfaceUnit(place, span.end, span.label_, doc[span.end - 1].whitespace_)
            place = span.end
        else:
            yield SurfaceUnit(place, place + 1, doc[place].text, doc[place].whitespace_)
            place += 1


def surface_text(view: Doc | Span) -> str:
    """The text of a Doc or Span with multiword tokens in place of their words.

    Like `.text` it has the whitespace after the last token of a Doc, but not of a Span.
    """
    if not view.doc.spans.get(MULTIWORD):
        return view.text
    text = "".join(unit.form + unit.space for unit in surface_units(view))
    if isinstance(view, Span) and len(view) and view[-1].whitespace_:
        return text[:-1]
    return text


def surface_offsets(doc: Doc) -> list[tuple[int, int]]:
    """The limits in `surface_text(doc)` of the surface token of every token, in characters."""
    if not doc.spans.get(MULTIWORD):
        return [(token.idx, token.idx + len(token)) for token in doc]
    offsets: list[tuple[int, int]] = []
    start = 0
    for unit in surface_units(doc):
        offsets += [(start, start + len(unit.form))] * (unit.end - unit.start)
        start += len(unit.form) + len(unit.space)
    return offsets


def multiword_tokens(doc: Doc) -> list[MultiwordToken]:
    """The multiword tokens of a Doc, by their limits in `surface_text(doc)`."""
    offsets = surface_offsets(doc)
    return [
        MultiwordToken(start, end, tuple(token.text for token in span))
        for span in multiword_spans(doc)
        for start, end in [offsets[span.start]]
    ]


for owner in (Doc, Span):
    set_where_free(owner, "surface_text", getter=surface_text)
set_where_free(Doc, "surface_offsets", getter=surface_offsets)
