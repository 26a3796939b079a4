"""Perplexity of Docs that a language model has read."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example

from ..extensions.surprisal import perplexity_of, surprisals

DEFAULT_SCORE_WEIGHTS: dict[str, float | None] = {
    "lm_score": 1.0,
    "lm_perplexity": None,
    "lm_known_perplexity": None,
    "lm_spelled_perplexity": None,
}


def score_perplexity(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Perplexity over words and sentence ends.

    Returns:
        ``lm_perplexity``, in which unknown words count as one word; ``lm_known_perplexity``, in
        which they are left out; ``lm_spelled_perplexity``, in which they are spelled, None where
        the model spells no word; ``lm_score``, minus the binary logarithm of the first, so that
        higher is better. None where there is nothing to score.
    """
    docs = [example.predicted for example in examples]
    one_word = [bits for doc in docs for bits in surprisals(doc, "one_word")]
    known = [bits for doc in docs for bits in surprisals(doc, "left_out")]
    spelled = [bits for doc in docs for bits in surprisals(doc)] if _has_spelling(docs) else []
    return {
        "lm_perplexity": perplexity_of(one_word),
        "lm_known_perplexity": perplexity_of(known),
        "lm_spelled_perplexity": perplexity_of(spelled),
        "lm_score": -math.fsum(one_word) / len(one_word) if one_word else None,
    }


def _has_spelling(docs: Iterable[Doc]) -> bool:
    return any(token._.spelling_surprisal is not None for doc in docs for token in doc)


def make_lm_scorer() -> Callable[..., dict[str, Any]]:
    """Perplexity of the words and of the ends of sentences."""
    return score_perplexity
