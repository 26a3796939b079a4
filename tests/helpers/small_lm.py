"""A small language model, and sentences for it."""

from collections.abc import Callable
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import fix_random_seed

NAME = "phrasal_lm"
SIZES = {"hidden_width": 32, "hidden_depth": 1, "phrase_width": 24, "attention_width": 16}
EMBEDDING = {"width": 0, "word_width": 24}


def small_lm(**settings: Any) -> dict[str, Any]:
    """A component's config: the small model, with the settings given; ``model`` and ``tok2vec`` are
    merged."""
    tok2vec = settings.pop("tok2vec", {})
    if "@architectures" not in tok2vec:
        tok2vec = {**EMBEDDING, **tok2vec}
    model = {**SIZES, **settings.pop("model", {}), "tok2vec": tok2vec}
    return {**settings, "model": model}


def lm_pipeline(examples: Callable[[Language], list[Example]], **settings: Any) -> Language:
    """An English pipeline with an initialized small language model."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config=small_lm(**settings))
    nlp.initialize(lambda: examples(nlp))
    return nlp
