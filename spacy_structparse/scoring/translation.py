"""BLEU of Docs whose translations are known."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from spacy.training import Example

from .. import extensions  # noqa: F401 registers doc._.translation

DEFAULT_SCORE_WEIGHTS: dict[str, float | None] = {"translation_bleu": 1.0}


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
    found, gold = zip(*pairs, strict=True)
    metric = import_bleu()(lowercase=lowercase, tokenize=tokenize, force=True)
    return {"translation_bleu": metric.corpus_score(found, [gold]).score / 100}


def is_bleu(scorer: Callable[..., Any] | None) -> bool:
    """Whether a scorer is one of :func:`make_translation_scorer`."""
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
