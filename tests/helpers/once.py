"""What is slow to make is made once for all of pytest-xdist's workers."""

import shutil
from collections.abc import Callable
from pathlib import Path

import spacy
from filelock import FileLock
from spacy.language import Language
from spacy.training import Example

from tests.helpers.small_parser import train


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """The folder, filled by the first worker that asks for it; the others wait until it is.

    Args:
        folder: A folder of the ``shared_folder``.
        make: Fills the empty folder that it is given.

    Returns:
        The folder.
    """
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            unfinished = folder.with_name(f"{folder.name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
    return folder


def trained_once(
    folder: Path,
    untrained: Callable[[], Language],
    examples: Callable[[Language], list[Example]],
    steps: int = 60,
) -> Language:
    """A pipeline after some updates on all examples, loaded from where it was saved."""

    def make(made: Path) -> None:
        nlp = untrained()
        train(nlp, examples(nlp), steps)
        nlp.to_disk(made)

    return spacy.load(made_once(folder, make))
