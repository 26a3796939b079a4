"""Scores of components that write text: BLEU of translations, perplexity of language models."""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from spacy.training import Example

from .. import extensions  # noqa: F401 registers doc._.translation
from ..extensions.surprisal import perplexity_of, surprisals

TRANSLATION_WEIGHTS: dict[str, float | None] = {"translation_bleu": 1.0}


def score_translations(
    examples: Iterable[Example], *, lowercase: bool = True, tokenize: str = "none", **kwargs: Any
) -> dict[str, Any]:
    """BLEU of all Docs that have a gold translation, by sacrebleu. A Doc that was not translated
    counts as an empty translation.

    Args:
        lowercase, tokenize: See :func:`make_translation_scorer`.

    Returns:
        ``translation_bleu``, from 0 to 1, None where no Doc has a gold translation.
    """
    pairs = [
        (example.predicted._.translation or "", example.reference._.translation)
        for example in examples
        if example.reference._.translation is not None
    ]
    if not pairs:
        return {"translation_bleu": None}
    translations, gold = zip(*pairs, strict=True)
    metric = import_bleu()(lowercase=lowercase, tokenize=tokenize, force=True)
    return {"translation_bleu": metric.corpus_score(translations, [gold]).score / 100}


def is_bleu(scorer: Callable[..., Any] | None) -> bool:
    """Return whether a scorer is one of :func:`make_translation_scorer`."""
    return isinstance(scorer, partial) and scorer.func is score_translations


def import_bleu() -> Any:
    """Import sacrebleu's metric. Raises ImportError with the extra that installs it."""
    try:
        from sacrebleu import BLEU
    except ImportError as error:
        raise ImportError(
            "scoring translations takes sacrebleu: pip install 'spacy-structparse[translation]', "
            "or set the component's scorer to null"
        ) from error
    return BLEU


def make_translation_scorer(
    lowercase: bool = True, tokenize: str = "none"
) -> Callable[..., dict[str, Any]]:
    """BLEU, by sacrebleu.

    Args:
        lowercase: Ignore case.
        tokenize: A tokenizer of sacrebleu, such as ``13a``. ``none``: spaces separate words.
    """
    return partial(score_translations, lowercase=lowercase, tokenize=tokenize)


LM_WEIGHTS: dict[str, float | None] = {
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
    known_words = [bits for doc in docs for bits in surprisals(doc, "left_out")]
    is_spelled = any(token._.spelling_surprisal is not None for doc in docs for token in doc)
    spelled = [bits for doc in docs for bits in surprisals(doc)] if is_spelled else []
    return {
        "lm_perplexity": perplexity_of(one_word),
        "lm_known_perplexity": perplexity_of(known_words),
        "lm_spelled_perplexity": perplexity_of(spelled),
        "lm_score": -math.fsum(one_word) / len(one_word) if one_word else None,
    }


def make_lm_scorer() -> Callable[..., dict[str, Any]]:
    """Perplexity of the words and of the ends of sentences."""
    return score_perplexity
