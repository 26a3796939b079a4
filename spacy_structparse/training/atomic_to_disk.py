"""Pipelines saved whole or not at all, and loaded whole.

``spacy train`` writes each checkpoint over the last one, file by file, so that a run killed at the
wrong moment leaves a ``model-last`` that does not load. In a config:

    [training.before_to_disk]
    @callbacks = "spacy-structparse.atomic_to_disk.v1"

A pipeline is written beside the old one, brought to the disk, and moved into its place by two
renames. For the moment between them the old one is called ``<folder>.previous``.
"""

import copy
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.training.loop import DIR_MODEL_BEST, DIR_MODEL_LAST
from spacy.util import load_config

from ..files import finish_folder, synchronize, temporary_folder
from ..input_limits import check_plain

_MOST_TRIES = 10


class ReplacedError(OSError):
    """A pipeline that was replaced whenever it was read."""


def create_atomic_to_disk(
    callback: Callable[[Language], Language] | None = None,
) -> Callable[[Language], Language]:
    """A callback for ``[training] before_to_disk`` whose pipeline saves itself in one step. A
    training run that is killed while it saves leaves the last good ``model-last``. spaCy itself
    replaces ``model-best``, file by file: if it is killed there, ``model-best.previous`` is whole.

    Args:
        callback: Another such callback, called before. ``null``: none.
    """
    performance: object = None  # of the last save: spaCy makes a new dictionary at each evaluation

    def save(nlp: Language, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        nonlocal performance
        is_last = nlp.meta.get("performance") is performance
        performance = nlp.meta.get("performance")
        if Path(path).name == DIR_MODEL_LAST:
            _keep_best(Path(path).with_name(DIR_MODEL_BEST), is_last)
        save_atomically(nlp, path, exclude=exclude)

    def make_atomic(nlp: Language) -> Language:
        if callback is not None:
            nlp = callback(nlp)
        # A shallow copy: the pipeline in training keeps its own to_disk.
        saver = copy.copy(nlp)
        saver.to_disk = partial(save, nlp)  # type: ignore[method-assign]
        return saver

    return make_atomic


def _keep_best(best: Path, is_last: bool) -> None:
    """Give the files of ``model-best`` a second name, ``model-best.previous``, before spaCy may
    replace it; or remove that name if spaCy leaves ``model-best`` as it is.

    Args:
        best: The folder.
        is_last: spaCy saves once more when training ends, without a new evaluation. An error that
            ends training may be that of replacing ``model-best``.
    """
    if not best.is_dir() or (is_last and sys.exc_info()[0] is not None):
        return
    previous = _previous(best)
    if is_last:
        finish_folder(best, None)  # spaCy copied it without bringing it to the disk
        _remove_pipeline(previous)
        return
    with temporary_folder(previous) as folder:
        shutil.copytree(best, folder, copy_function=_link, dirs_exist_ok=True)
        _replace(folder, previous)


def _link(source: str, target: str) -> None:
    """Give a file a second name, where the file system can, or copy it. spaCy never changes a saved
    file: it writes new ones."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


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
        NotPlainError: A part of the folder is a pipe or a device.
        ReplacedError: The folder was replaced while it was read, ten times in a row.
        OSError, ValueError: As ``spacy.load``.
    """
    path = Path(model)
    for _ in range(_MOST_TRIES):
        is_gone = not path.exists() and _previous(path.absolute()).is_dir()
        source = _previous(path.absolute()) if is_gone else model
        before = _identity(path)
        try:
            check_plain(Path(source))
            nlp = spacy.load(source, **settings)
        except Exception:
            if _identity(path) == before:
                raise
            continue
        if _identity(path) == before:
            return nlp
    raise ReplacedError(
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
                f"{output} is one of the pipelines or texts given; write to another folder"
            )
        if target in given.parents and given.exists():
            raise ValueError(f"{output} contains the input {path}; write to another folder")
    problem = foreign_content(target)
    if problem is not None:
        raise ValueError(
            f"{output} {problem}, and is not replaced; choose another folder or remove it"
        )


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
        components = load_config(folder / "config.cfg").get("nlp", {}).get("pipeline")
    except (ValueError, OSError):
        components = None
    if "meta.json" not in names or not isinstance(components, list):
        return "exists and is not a pipeline's folder"
    # spaCy's sentencizer is a JSON file.
    saved = {
        name for one in map(str, components) for name in (one, str(Path(one).with_suffix(".json")))
    }
    others = sorted(names - saved - {"meta.json", "config.cfg", "vocab", "tokenizer"})
    if others:
        return f"is a pipeline's folder with something else in it ({', '.join(others[:5])})"
    return None
