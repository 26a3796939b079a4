"""Trained pipelines for the commands that use them."""

from spacy.language import Language

from ..pipeline.loading import pipeline_note
from ..printable import described
from ..training.atomic_to_disk import load_whole


class LoadingError(ValueError):
    """A pipeline that cannot be loaded."""


def load_pipeline(model: str) -> Language:
    """A trained pipeline, by name or folder. Raises LoadingError, which names it, and the version
    that saved it if that is another one."""
    try:
        return load_whole(model)
    except Exception as error:  # spaCy's readers do not check what they read
        message, note = described(error).rstrip(), pipeline_note(model)
        if note in message:
            note = ""
        raise LoadingError(f"The pipeline '{model}' cannot be loaded: {message}{note}") from error
