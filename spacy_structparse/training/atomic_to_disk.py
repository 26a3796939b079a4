"""``spacy-structparse.atomic_to_disk.v1``: checkpoints that are whole or not there.

``spacy train`` writes each checkpoint over the last one, file by file, so that a run killed at the
wrong moment leaves a ``model-last`` that does not load. In a config:

    [training.before_to_disk]
    @callbacks = "spacy-structparse.atomic_to_disk.v1"
"""

import copy
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from spacy.language import Language

from ..files import temporary_folder
from .kept_best import KeptBest
from .replace_folder import replace_folder


def create_atomic_to_disk(
    callback: Callable[[Language], Language] | None = None,
) -> Callable[[Language], Language]:
    """A callback for ``[training] before_to_disk`` whose pipeline saves itself in one step. A
    training run that is killed while it saves leaves the last good ``model-last``. spaCy itself
    replaces ``model-best``, file by file: if it is killed there, ``model-best.previous`` is whole.

    Args:
        callback: Another such callback, called before. ``null``: none.
    """

    kept = KeptBest()

    def save(nlp: Language, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        kept.before_saving(nlp, Path(path))
        save_atomically(nlp, path, exclude=exclude)
        kept.after_saving(Path(path))

    def make_atomic(nlp: Language) -> Language:
        if callback is not None:
            nlp = callback(nlp)
        # A shallow copy: the pipeline in training keeps its own to_disk.
        saver = copy.copy(nlp)
        saver.to_disk = partial(save, nlp)  # type: ignore[method-assign]
        return saver

    return make_atomic


def save_atomically(nlp: Language, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
    """Save a pipeline in the place of what is at ``path``; until all of it is written, and if
    writing fails or the process dies, the folder at ``path`` stays as it was.

    It is written under a temporary name and moved (see :func:`replace_folder`).

    Raises:
        OSError: It cannot be written, or a file is at ``path``.
    """
    target = Path(path).resolve()
    with temporary_folder(target) as writing:
        nlp.to_disk(writing, exclude=exclude)
        replace_folder(writing, target)
