"""Spans of docs that are not longer than a transformer can read."""

from collections.abc import Callable, Iterator
from typing import Any

from spacy.tokens import Doc, Span

from .transformer_shim import TransformerShim

# The pieces of the beginning and the end of a text.
_ENDS = 2


class FittingSpans:
    """Cuts docs into spans, and those that have too many pieces into halves.

    spacy-transformers cuts off what is too long, so that its words have no vectors.

    Args:
        get_spans: Cuts docs into spans.
        shim: The transformer, with its tokenizer.
    """

    def __init__(
        self, get_spans: Callable[[list[Doc]], list[list[Span]]], shim: TransformerShim
    ) -> None:
        self.get_spans = get_spans
        self.shim = shim

    def __call__(self, docs: list[Doc]) -> list[list[Span]]:
        """The spans of each doc. A single word with too many pieces stays as it is."""
        tokenizer = self.shim.tokenizer
        return [
            [part for span in spans for part in _cut(span, tokenizer)]
            for spans in self.get_spans(docs)
        ]


def _cut(span: Span, tokenizer: Any) -> Iterator[Span]:
    if _fits(span, tokenizer):
        yield span
        return
    middle = len(span) // 2
    yield from _cut(span[:middle], tokenizer)
    yield from _cut(span[middle:], tokenizer)


def _fits(span: Span, tokenizer: Any) -> bool:
    most = tokenizer.model_max_length
    # A piece has at least a byte.
    if len(span) == 1 or len(span.text.encode("utf8")) + _ENDS <= most:
        return True
    return len(tokenizer(span.text, verbose=False)["input_ids"]) <= most
