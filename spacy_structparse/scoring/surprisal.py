"""How much each word of a text surprises a language model: where it is kept, and what is read off.

``token._.surprisal`` (bits) and ``token._.phrase_weights``, and on the last word of each sentence
``token._.end_surprisal`` and ``token._.end_phrase_weights``, those of the sentence's end, are kept
with the Doc and serialized with its ``user_data``. Computed from them: ``doc._.perplexity``,
``span._.perplexity`` and ``token._.phrase_attention``.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc, Span, Token

from ..trees.words import words_of

_KEPT = ("surprisal", "end_surprisal", "phrase_weights", "end_phrase_weights")
"""Attributes of tokens that are stored; None where no language model has read the token."""
_KEYS = {(name,) for name in _KEPT}


def set_surprisal(
    doc: Doc,
    tokens: Sequence[int],
    surprisal: Sequence[float],
    weights: Sequence[Sequence[float]] = (),
) -> None:
    """Store what a language model found in one sentence.

    tokens: (n,) its words, by index in the doc. surprisal: (n + 1,) bits of each and of the end.
    weights: for t = 1, ..., n those of the phrases that end with word t in the prediction of what
    follows it, (t,), in the order of the words they start with; empty if there are none."""
    kept: dict[Any, Any] = doc.user_data  # spaCy's keys of attributes are tuples
    places = [doc[i].idx for i in tokens]
    last = places[-1]
    for place, bits in zip(places, surprisal, strict=False):
        kept["._.", "surprisal", place, None] = bits
    kept["._.", "end_surprisal", last, None] = surprisal[-1]
    for place, of_phrases in zip(places[1:], weights, strict=False):
        kept["._.", "phrase_weights", place, None] = of_phrases
    if len(weights):
        kept["._.", "end_phrase_weights", last, None] = weights[-1]


def clear_surprisal(doc: Doc) -> None:
    """Forget what a language model found in a Doc."""
    stored = [key for key in doc.user_data if isinstance(key, tuple) and key[1:2] in _KEYS]
    for key in stored:
        del doc.user_data[key]


def surprisals(view: Doc | Span) -> list[float]:
    """The bits of all words of a Doc or Span that a language model has read, and of the ends of
    the sentences that end in it."""
    return [
        bits
        for token in view
        for bits in (token._.surprisal, token._.end_surprisal)
        if bits is not None
    ]


def perplexity(view: Doc | Span) -> float | None:
    """2 to the power of the mean surprisal of words and sentence ends; None where no language
    model has read anything."""
    bits = surprisals(view)
    return 2 ** (sum(bits) / len(bits)) if bits else None


def phrase_attention(token: Token) -> list[tuple[Span, float]]:
    """The phrases that end right before a word, longest first, and how much the language model
    heeds each in predicting it; empty for the first word of a sentence."""
    weights = token._.phrase_weights or []
    words: list[int] = []
    i = token.i
    while len(words) < len(weights) and i > 0:
        i -= 1
        if not token.doc[i].is_space:
            words.append(i)
    spans = [token.doc[start : words[0] + 1] for start in reversed(words)]
    return list(zip(spans, weights, strict=True))


def phrase_weights(sentence: Doc | Span) -> list[list[float]]:
    """The weights of all phrases of one sentence, whitespace left out: for t = 1, ..., n those of
    the t phrases that end with word t, in the order of their first words. Empty where they were
    not kept."""
    words = words_of(sentence)
    if not words or words[-1]._.end_phrase_weights is None:
        return []
    after = [token._.phrase_weights for token in words[1:]]
    return [*after, words[-1]._.end_phrase_weights]


def boundary_strengths(weights: Sequence[Sequence[float]]) -> np.ndarray:
    """How likely a phrase ends after each word but the last: (n - 1,), the weight of the phrase
    that is the word alone. The first word, which is its only phrase, has the mean of the others.

    weights: of :func:`phrase_weights`."""
    alone = np.array([of_end[-1] for of_end in weights])
    if len(alone) > 1:
        alone[0] = alone[1:].mean()
    return alone[:-1]


_GETTERS: tuple[tuple[Any, str, Callable[[Any], Any]], ...] = (
    (Doc, "perplexity", perplexity),
    (Span, "perplexity", perplexity),
    (Token, "phrase_attention", phrase_attention),
)


def register_extensions() -> None:
    """Set the attributes wherever nobody has set one of that name."""
    for name in _KEPT:
        if not Token.has_extension(name):
            Token.set_extension(name, default=None)
    for owner, name, getter in _GETTERS:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter)


register_extensions()
