"""The texts that a transformer reads: spans of Docs, cut where they have too many pieces."""

from collections.abc import Callable, Iterator
from typing import Any

from spacy.tokens import Doc, Span, Token

_TOO_LONG = "sequence-length-is-longer-than-the-specified-maximum"
# The pieces of the beginning and the end of a text.
_ENDS = 2
# Characters from which a word without letters and digits is a ruler: a line across the page.
_RULER = 10


class FittingSpans:
    """Cuts docs into spans: at rulers, and where a span has too many pieces.

    spacy-transformers cuts off what is too long, so that its words have no vectors. A ruler has so
    many pieces that it changes the vectors of the words beside it, and then a sentence splitter
    joins the sentences before and after it.

    Args:
        get_spans: Cuts docs into spans.
        shim: The shim of the transformer, which has its tokenizer.
    """

    def __init__(self, get_spans: Callable[[list[Doc]], list[list[Span]]], shim: Any) -> None:
        self.get_spans = get_spans
        self.shim = shim

    def __call__(self, docs: list[Doc]) -> list[list[Span]]:
        """The spans of each doc. A single word with too many pieces stays as it is."""
        tokenizer = self.shim.tokenizer
        # spacy-transformers cuts off what is too long; the tokenizer would warn of an error.
        getattr(tokenizer, "deprecation_warnings", {})[_TOO_LONG] = True
        return [
            [
                part
                for span in spans
                for between in _cut_at(span, [i for i, t in enumerate(span) if _is_ruler(t)])
                for part in _cut(between, tokenizer)
            ]
            for spans in self.get_spans(docs)
        ]


def _is_ruler(token: Token) -> bool:
    return (
        len(token) >= _RULER
        and not token.is_space
        and not any(character.isalnum() for character in token.text)
    )


def _cut_at(span: Span, places: list[int]) -> Iterator[Span]:
    """Yield the words at some places of a span, and the spans between them."""
    start = 0
    for i in places:
        if start < i:
            yield span[start:i]
        yield span[i : i + 1]
        start = i + 1
    if start < len(span) or not len(span):
        yield span[start:]


def _cut(span: Span, tokenizer: Any) -> Iterator[Span]:
    """Yield the parts of a span that fit: those beside a word of very many pieces, or halves."""
    most = tokenizer.model_max_length
    if len(span) == 1 or _size(span.text, tokenizer, most) <= most:
        yield span
        return
    sizes = [len(token.text.encode("utf8")) for token in span]
    longest = sizes.index(max(sizes))
    if _size(span[longest].text, tokenizer, most // 2) > most // 2:
        parts = _cut_at(span, [longest])
    else:
        middle = len(span) // 2
        parts = iter((span[:middle], span[middle:]))
    for part in parts:
        yield from _cut(part, tokenizer)


def _size(text: str, tokenizer: Any, enough: int) -> int:
    """Return the number of pieces of a text, or a bound of it that is no more than enough."""
    n_bytes = len(text.encode("utf8")) + _ENDS  # a piece has at least a byte
    if n_bytes <= enough:
        return n_bytes
    return len(tokenizer(text, verbose=False)["input_ids"])
