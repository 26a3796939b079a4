"""Scores of a tokenizer that splits multiword tokens, from the text on."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.scorer import PRFScore
from spacy.tokens import Doc

from ..extensions.multiword import multiword_tokens, surface_text, surface_units
from .conll18.alignment import align_words
from .conll18.docs import annotation_of


def score_multiword(golds: Iterable[Doc], tokenize: Callable[[str], Doc]) -> dict[str, Any]:
    """Tokenize the surface texts of gold Docs, and score words and multiword tokens.

    `words_f` is Words of CoNLL 2018 (F1). `mwt_p`, `mwt_r` and `mwt_f` are precision, recall and
    F1 of multiword tokens: right is one with the gold limits and the gold words. A score is None
    where there is nothing to score. Docs whose spaces are unknown are left out.

    Args:
        golds: Docs with gold words and multiword tokens.
        tokenize: The tokenizer.
    """
    multiword = PRFScore()
    correct = total = 0
    for gold in golds:
        if gold.has_unknown_spaces:
            continue
        found = tokenize(surface_text(gold))
        multiword.score_set(set(multiword_tokens(found)), set(multiword_tokens(gold)))
        words, others = (annotation_of(doc, surface_units(doc)).words for doc in (gold, found))
        correct += len(align_words(words, others))
        total += len(words) + len(others)
    scored = len(multiword) > 0
    return {
        "words_f": 2 * correct / total if total else None,
        "mwt_p": multiword.precision if scored else None,
        "mwt_r": multiword.recall if scored else None,
        "mwt_f": multiword.fscore if scored else None,
    }
