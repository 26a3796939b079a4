"""Surprisal of words, perplexity of texts and attention to phrases, as a language model found them.

Attributes of tokens are stored, and serialized with the Doc's ``user_data``. They are
``token._.surprisal`` (bits), ``token._.is_unknown``, ``token._.spelling_surprisal`` (bits of the
spelling of an unknown word, which are part of its surprisal) and ``token._.phrase_weights`` and, on
the last word of a sentence, ``token._.end_surprisal`` and ``token._.end_phrase_weights``, those of
the sentence's end; with ``keep_entropy`` also ``token._.entropy``, the bits of the next word's
entropy. ``span._.surprisal``, the ``perplexity`` and ``known_perplexity`` of Docs and Spans and
``token._.phrase_attention`` are computed from them.
"""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from spacy.tokens import Doc, Span, Token

from ..trees.words import words_of
from . import clear_stored, set_where_free, stored

UnknownWords = Literal["spelled", "one_word", "left_out"]
_STORED = (
    "surprisal",
    "end_surprisal",
    "is_unknown",
    "spelling_surprisal",
    "entropy",
    "phrase_weights",
    "end_phrase_weights",
)
"""Stored attributes of tokens; None where no language model has read the token."""


def set_surprisal(
    doc: Doc,
    tokens: Sequence[int],
    surprisal: Sequence[float],
    weights: Sequence[Sequence[float]] = (),
    *,
    is_unknown: Sequence[bool] = (),
    spelling: Mapping[int, float] = MappingProxyType({}),
    entropy: Sequence[float] = (),
) -> None:
    """Store the results of a language model for one sentence.

    Args:
        doc: The Doc.
        tokens: (n,) Words of the sentence, by index in the Doc.
        surprisal: (n + 1,) Bits of each word, without its spelling, and of the end of the sentence.
        weights: For t = 1, ..., n the weights (t,) of the phrases that end with word t in the
            prediction of the word after it, ordered by the words they start with. Empty: none.
        is_unknown: (n,) Whether each word is outside the vocabulary. Empty: not known.
        spelling: Bits of the spelling of unknown words, by index in ``tokens``.
        entropy: (n,) Bits, of the prediction after each word. Empty: not known.
    """
    places = [doc[i].idx for i in tokens]
    spelled = [bits + spelling.get(i, 0.0) for i, bits in enumerate(surprisal[:-1])]
    columns: dict[str, Iterable[tuple[int, Any]]] = {
        "surprisal": zip(places, spelled, strict=True),
        "spelling_surprisal": [(places[i], bits) for i, bits in spelling.items()],
        "entropy": zip(places, entropy, strict=False),
        "is_unknown": zip(places, is_unknown, strict=False),
        "phrase_weights": zip(places[1:], weights, strict=False),
        "end_surprisal": [(places[-1], surprisal[-1])],
        "end_phrase_weights": [(places[-1], weights[-1])] if len(weights) else [],
    }
    for name, values in columns.items():
        stored(doc).update((("._.", name, place, None), value) for place, value in values)


def clear_surprisal(doc: Doc) -> None:
    """Remove the results of a language model from a Doc."""
    clear_stored(doc, _STORED)


def surprisals(view: Doc | Span, unknown: UnknownWords = "spelled") -> list[float]:
    """Bits of the words that a language model has read, and of the ends of sentences among them.

    Args:
        view: The Doc or Span.
        unknown: Words outside the vocabulary have the bits of their spelling, where the model
            spells them (``spelled``), or are one word that is not spelled (``one_word``), or are
            ``left_out``.
    """
    found: list[float] = []
    for token in view:
        bits, end = token._.surprisal, token._.end_surprisal
        if bits is not None and not (unknown == "left_out" and token._.is_unknown):
            spelled = unknown == "one_word" and token._.spelling_surprisal
            found.append(bits - spelled if spelled else bits)
        if end is not None:
            found.append(end)
    return found


def span_surprisal(span: Span) -> float | None:
    """Bits of all words of a span together: -log2 of its probability, given the words before.

    The ends of sentences are left out. None where no language model has read any of its words.
    """
    bits = [token._.surprisal for token in span if token._.surprisal is not None]
    return math.fsum(bits) if bits else None


def perplexity_of(bits: Sequence[float]) -> float | None:
    """2 to the power of the mean of surprisals; None if there are none."""
    if not bits:
        return None
    mean = math.fsum(bits) / len(bits)
    return 2**mean if mean < sys.float_info.max_exp else math.inf


def perplexity(view: Doc | Span) -> float | None:
    """2 to the power of the mean surprisal of words and sentence ends.

    Returns:
        The perplexity; None where no language model has read anything.
    """
    return perplexity_of(surprisals(view))


def known_perplexity(view: Doc | Span) -> float | None:
    """The perplexity of the words of the vocabulary and of sentence ends; None where there are
    none."""
    return perplexity_of(surprisals(view, "left_out"))


def phrase_attention(token: Token) -> list[tuple[Span, float]]:
    """The phrases that end right before a word, with their weights in predicting it.

    Returns:
        Pairs of a phrase and its weight, longest phrase first; empty for the first word of a
        sentence, and where words of the phrases were merged, split or cut off since.
    """
    weights = token._.phrase_weights or []
    words: list[int] = []
    i = token.i
    while len(words) < len(weights) and i > 0:
        i -= 1
        if not token.doc[i].is_space:
            words.append(i)
    words.reverse()
    if len(words) < len(weights) or not _are_as_read([token.doc[i] for i in words]):
        return []
    spans = [token.doc[start : words[-1] + 1] for start in words]
    return list(zip(spans, weights, strict=True))


def phrase_weights(sentence: Doc | Span) -> list[list[float]]:
    """The weights of all phrases of one sentence, whitespace tokens left out.

    Returns:
        For t = 1, ..., n the weights (t,) of the phrases that end with word t, ordered by their
        first words. Empty where no weights were stored, and where words were merged, split or cut
        off since.
    """
    words = words_of(sentence)
    if not words or not _are_as_read(words):
        return []
    before = [token._.phrase_weights for token in words]
    weights = [*before[1:], words[-1]._.end_phrase_weights]
    return weights if before[0] is None and None not in weights else []


def _are_as_read(words: Sequence[Token]) -> bool:
    """Return True if a language model has read these words, one after the other, as they are."""
    if not words:
        return True
    starts = [word.idx for word in words]
    read = stored(words[0].doc)
    places = range(starts[0], starts[-1] + len(words[-1]))
    return [place for place in places if ("._.", "surprisal", place, None) in read] == starts


def boundary_strengths(weights: Sequence[Sequence[float]]) -> np.ndarray:
    """Measure how likely a phrase ends after each word but the last.

    The strength is the weight of the phrase that is the word alone. The first word, which is its
    only phrase, has the mean of the others.

    Args:
        weights: The result of :func:`phrase_weights`.

    Returns:
        (n - 1,) strengths.
    """
    alone = np.array([of_end[-1] for of_end in weights])
    if len(alone) > 1:
        alone[0] = alone[1:].mean()
    return alone[:-1]


for _name in _STORED:
    set_where_free(Token, _name, default=None)
for _owner in (Doc, Span):
    set_where_free(_owner, "perplexity", getter=perplexity)
    set_where_free(_owner, "known_perplexity", getter=known_perplexity)
set_where_free(Span, "surprisal", getter=span_surprisal)
set_where_free(Token, "phrase_attention", getter=phrase_attention)
