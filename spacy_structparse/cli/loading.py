"""Trained pipelines for the commands that use them."""

from spacy.language import Language

from ..printable import described
from ..training.load_whole import load_whole


class LoadingError(ValueError):
    """A pipeline that cannot be loaded."""


def load_pipeline(model: str) -> Language:
    """A trained pipeline, by name or folder. Raises LoadingError, which names it."""
    try:
        return load_whole(model)
    except Exception as error:  # spaCy's readers do not check what they read
        raise LoadingError(
            f"The pipeline '{model}' cannot be loaded: {described(error)}"
        ) from error
