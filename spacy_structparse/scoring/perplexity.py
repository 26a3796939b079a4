"""Perplexity of Docs that a language model has read."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from spacy.training import Example

from ..extensions.surprisal import surprisals

DEFAULT_SCORE_WEIGHTS: dict[str, float | None] = {"lm_score": 1.0, "lm_perplexity": None}


def score_perplexity(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """Perplexity over all words and sentence ends. Unknown words count as one word.

    Returns:
        ``lm_perplexity``, and ``lm_score``, minus its binary logarithm, so that higher is better;
        None where there is nothing to score.
    """
    bits = [value for example in examples for value in surprisals(example.predicted)]
    if not bits:
        return {"lm_perplexity": None, "lm_score": None}
    mean = math.fsum(bits) / len(bits)
    return {"lm_perplexity": 2**mean, "lm_score": -mean}


def make_lm_scorer() -> Callable[..., dict[str, Any]]:
    """Perplexity of the words and of the ends of sentences."""
    return score_perplexity
