"""Pipelines saved whole or not at all, and loaded whole.

``spacy train`` writes each checkpoint over the last one, file by file, so that a run killed at the
wrong moment leaves a ``model-last`` that does not load. In a config:

    [training.before_to_disk]
    @callbacks = "spacy-structparse.atomic_to_disk.v1"

A pipeline is written beside the old one, brought to the disk, and moved into its place by two
renames. For the moment between them the old one is called ``<folder>.previous``.
"""

import copy
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.util import load_config

from ..files import finish_folder, synchronize, temporary_folder
from ..input_limits import check_regular
from ..removed_settings import removed_settings

_MOST_TRIES = 10


@removed_settings("Register a callback that calls both.", callback=None)
def create_atomic_to_disk() -> Callable[[Language], Language]:
    """A callback for ``[training] before_to_disk`` whose pipeline saves itself in one step. A
    training run that is killed while it saves leaves the last good ``model-last``. spaCy itself
    copies it to ``model-best``: if the run is killed there, ``model-last`` is the best pipeline.
    """

    def make_atomic(nlp: Language) -> Language:
        # A shallow copy: the pipeline in training keeps its own to_disk.
        saver = copy.copy(nlp)
        saver.to_disk = partial(save_atomically, nlp)  # type: ignore[method-assign]
        return saver

    return make_atomic


def save_atomically(nlp: Language, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
    """Save a pipeline in the place of what is at ``path``. Until all of it is on the disk, the old
    pipeline stays, at ``path`` or as ``<path>.previous``.

    Raises:
        OSError: It cannot be written, or a file is at ``path``.
    """
    target = Path(path).resolve()
    with temporary_folder(target) as writing:
        nlp.to_disk(writing, exclude=exclude)
        _replace(writing, target)


def _replace(new: Path, target: Path) -> None:
    """Move a folder to ``target``, in the place, with the mode and the owner, of the one there."""
    previous = _previous(target)
    finish_folder(new, target.stat() if target.exists() else None)
    while True:
        try:
            if target.exists():
                _remove_pipeline(previous)
                target.rename(previous)
            new.rename(target)
            break
        except OSError as error:  # go on if another writer was faster: replace what it wrote
            was_moved = isinstance(error, FileNotFoundError) and new.exists()
            was_written = target.exists() and foreign_content(previous) is None
            if not (was_moved or was_written):
                raise
    synchronize(target.parent)  # before the old folder goes
    _remove_pipeline(previous)


def _previous(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.previous")


def _remove_pipeline(path: Path) -> None:
    """Remove a pipeline's folder; what is not one stays.

    It is given a temporary name first. If the process dies then, the next writer removes the rest;
    half a pipeline under its own name would be taken for a folder of the user's.
    """
    with suppress(FileNotFoundError):  # another writer was faster
        if path.exists() and foreign_content(path) is None:
            with temporary_folder(path) as folder:
                path.rename(folder / path.name)


def load_whole(model: str | Path, **settings: Any) -> Language:
    """Load a pipeline, all of it from one save.

    ``spacy.load`` opens one file after the other. If the folder is replaced meanwhile, it may find
    files of both saves, or miss some. Then this function loads again. Where a save was killed
    between its two renames, the old pipeline is loaded.

    Args:
        model: A folder, or the name of an installed package.
        settings: Those of :func:`spacy.load`, such as ``exclude`` and ``config``.

    Raises:
        OSError: The folder was replaced while it was read, ten times in a row.
        OSError, ValueError: As ``spacy.load``; or a part of the folder is a pipe or a device.
    """
    path = Path(model)
    previous = _previous(path.absolute())
    for _ in range(_MOST_TRIES):
        before = _identity(path)
        source = previous if before is None and previous.is_dir() else model
        try:
            check_regular(Path(source))
            nlp = spacy.load(source, **settings)
        except Exception:
            if _identity(path) == before:
                raise
            continue
        if _identity(path) == before:
            return nlp
    raise OSError(
        f"{path} was replaced while it was read, {_MOST_TRIES} times; load it when no other "
        "process saves there"
    )


def _identity(path: Path) -> tuple[int, ...] | None:
    """The number of a folder and the time of its last new file, or None if there is nothing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns


def check_replaceable(output: Path, inputs: Iterable[str | Path] = ()) -> None:
    """Raise ValueError where writing a pipeline would delete something else than a pipeline.

    Args:
        output: The folder to write. A link is followed.
        inputs: What the pipeline is made of: folders, files, or names of packages.

    Raises:
        ValueError: ``output`` is one of the inputs or a folder around one, or it exists and has
            something that is not a pipeline's.
    """
    target = output.resolve()
    for path in inputs:
        given = Path(path).resolve()
        if target == given:
            raise ValueError(
                f"{output} is one of the pipelines or texts given; name another folder"
            )
        if target in given.parents and given.exists():
            raise ValueError(f"{output} contains the input {path}; name another folder")
    problem = foreign_content(target)
    if problem is not None:
        raise ValueError(f"{output} {problem}, and is not replaced; name another folder")


def foreign_content(folder: Path) -> str | None:
    """The reason why a path is neither free, nor an empty folder, nor a pipeline's; or None.

    A pipeline's folder has ``meta.json``, ``config.cfg`` with a part ``[nlp]``, and beside them the
    components of that pipeline, ``vocab`` and ``tokenizer`` alone.
    """
    if not folder.exists():
        return None
    if not folder.is_dir():
        return "is a file"
    names = {path.name for path in folder.iterdir()}
    if not names:
        return None
    try:
        components = [str(name) for name in load_config(folder / "config.cfg")["nlp"]["pipeline"]]
    except (ValueError, OSError, KeyError, TypeError):
        components = None
    if "meta.json" not in names or components is None:
        return "exists and is not a pipeline's folder"
    # spaCy's sentencizer is a JSON file.
    saved = {*components, *(f"{name}.json" for name in components)}
    others = sorted(names - saved - {"meta.json", "config.cfg", "vocab", "tokenizer"})
    return f"is a pipeline's folder with something else in it ({others[0]})" if others else None
