"""Trained pipelines for the commands that use them."""

import spacy
from spacy.language import Language


class LoadingError(ValueError):
    """A pipeline that cannot be loaded."""


def load_pipeline(model: str) -> Language:
    """A trained pipeline, by name or folder. Raises LoadingError, which names it."""
    try:
        return spacy.load(model)
    except (OSError, ValueError) as error:
        raise LoadingError(f"The pipeline '{model}' cannot be loaded: {error}") from error
