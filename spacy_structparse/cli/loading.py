"""Trained pipelines for the commands that use them."""

from collections.abc import Iterable
from pathlib import Path

import spacy
from spacy.language import Language

from ..plain_files import check_plain
from ..training.vectors_pipeline import check_replaceable


class LoadingError(ValueError):
    """A pipeline that cannot be loaded."""


def load_pipeline(model: str) -> Language:
    """A trained pipeline, by name or folder. Raises LoadingError, which names it."""
    try:
        check_plain(Path(model))
        return spacy.load(model)
    except (OSError, ValueError) as error:
        raise LoadingError(f"The pipeline '{model}' cannot be loaded: {error}") from error


def check_output_of(models: Iterable[str], output: Path) -> None:
    """Raise ValueError where a pipeline made of others would be written over one of them, or over
    what is no pipeline."""
    if output.resolve() in [Path(model).resolve() for model in models]:
        raise ValueError(f"{output} is one of the pipelines given; write to another folder")
    check_replaceable(output)
