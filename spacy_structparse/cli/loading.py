"""Trained pipelines for the commands that use them."""

from pathlib import Path

import spacy
from spacy.language import Language

from ..plain_files import check_plain


class LoadingError(ValueError):
    """A pipeline that cannot be loaded."""


def load_pipeline(model: str) -> Language:
    """A trained pipeline, by name or folder. Raises LoadingError, which names it."""
    try:
        check_plain(Path(model))
        return spacy.load(model)
    except (OSError, ValueError) as error:
        raise LoadingError(f"The pipeline '{model}' cannot be loaded: {error}") from error
