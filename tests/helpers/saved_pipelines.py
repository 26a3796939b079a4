"""Pipelines of components that need no training, saved for commands to load."""

from pathlib import Path

import spacy


def saved(folder: Path, lang: str, *pipes: str) -> Path:
    """Save a pipeline of these components, and return its folder."""
    nlp = spacy.blank(lang)
    for pipe in pipes:
        nlp.add_pipe(pipe)
    nlp.to_disk(folder)
    return folder
