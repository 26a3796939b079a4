"""Checks of what is loaded: the version that saved it, its layers, and labels that fit the weights.

Every component with weights records the version in its ``cfg``, which is saved with it. Components
know nothing of their pipeline but the folder, so the messages name the folder and come once.
"""

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from heapq import nsmallest
from importlib.metadata import version
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version
from thinc.api import Model

from ..errors import WeightsError
from ..escaping import error_text
from ..models.parser_model import parser_shims
from ..models.token_lookup import vocabulary_index
from ..models.torch_model import TorchModule
from ..search_results import check_calibration

RECORD, CALIBRATION = "spacy_structparse_version", "calibration"
"""Keys in the ``cfg`` of a component."""
_PACKAGE = "spacy-structparse"
THIS = version(_PACKAGE)
"""The version that saves a component."""
_VERSION = re.compile(r"[\w.+!-]{1,40}")


@contextmanager
def checked_loading(pipe: Any, source: str, exclude: Iterable[str]) -> Iterator[None]:
    """Check what a component loads within it.

    Args:
        pipe: The component, a :class:`~spacy_structparse.pipeline.sentence_pipe.SentencePipe`.
        source: The place, for errors.
        exclude: The parts that are not loaded.

    Raises:
        WeightsError: A part is damaged, or the parts do not fit one another.
    """
    before = _references(pipe.model)
    pipe.cfg[RECORD] = None  # it was that of what was loaded or saved before
    if "model" not in exclude:
        pipe.weights_changed()
    cfg = dict(pipe.cfg)
    try:
        yield
        if _references(pipe.model) != before:
            raise WeightsError("its layers are not those of the config")
        whole = "model" not in exclude and "cfg" not in exclude
        if whole:
            _check_weights(pipe.model, pipe.cfg["labels"])
            if CALIBRATION in pipe.cfg:
                stored = pipe.cfg[CALIBRATION]
                check_calibration("the calibration in its cfg", stored, pipe.calibrated)
        pipe.store_labels()
        if whole and pipe._shim.is_built:
            pipe.prepare()
        pipe.cfg[RECORD] = THIS
    except OSError:
        raise
    except Exception as error:
        # The version of a cfg that was not read is not known.
        note = version_note(pipe.cfg.get(RECORD)) if pipe.cfg != cfg else ""
        raise WeightsError(
            f"[{pipe.name}] cannot be loaded from {source}: {error_text(error)} (a truncated or "
            f"foreign file? restore it or train again){note}"
        ) from error


def version_note(record: object) -> str:
    """The end of a message of a component that cannot be loaded: another version saved it.

    Args:
        record: The version in its ``cfg``; None: it has none.

    Returns:
        A sentence after a full stop. Empty if this version saved the component.
    """
    if record == THIS:
        return ""
    if isinstance(record, str) and _VERSION.fullmatch(record):
        maker, remedy = f"{_PACKAGE} {record}", f"install {record}"
    else:
        maker, remedy = f"an earlier version of {_PACKAGE}", "install that version"
    return f". It was made by {maker}, this is {THIS}: {remedy} or train again"


def warn_of_newer(record: object, folder: Path) -> None:
    """Warn, once for each pipeline, of one that a newer minor version of this package saved.

    Args:
        record: The version in the ``cfg`` of a component that was loaded.
        folder: The folder of the pipeline.
    """
    with suppress(InvalidVersion):  # None of an early version, or a damaged file
        if Version(str(record)).release[:2] > Version(THIS).release[:2]:
            _warn_once(f"{folder} was saved by {_PACKAGE} {record}, this is {THIS}: update it")


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=4)


def _check_weights(model: Model, labels: Any) -> None:
    """Check that all modules have weights, or none, and that the labels are theirs.

    Args:
        model: The model of a component.
        labels: The labels in its ``cfg``.

    Raises:
        WeightsError: They are not.
    """
    shims = dict.fromkeys(shim for node in model.walk() for shim in node.shims)
    modules = [shim for shim in shims if isinstance(shim, TorchModule)]
    if not any(shim.is_built for shim in modules):
        return
    for shim in modules:
        if not shim.is_built:
            raise WeightsError(f"there are no weights for the {shim.named}")
    for shim in parser_shims(model):
        stored = shim.cfg["labels"]
        if stored != labels:
            differing = set(strings_in(stored)) ^ set(strings_in(labels))
            raise WeightsError(
                f"the labels in its cfg are not those of the weights of the {shim.named} "
                f"(differing: {', '.join(nsmallest(10, differing)) or 'order'}); they belong to "
                "different training runs"
            )
    for node in model.walk():
        if "vocabulary" in node.attrs:
            vocabulary_index(node)


def _references(model: Model) -> list[int | None]:
    """The nodes that a model refers to, which a file of weights must not change."""
    names = ("parser", "tok2vec")
    return [
        node.get_ref(name).id if node.has_ref(name) else None
        for node in model.walk()
        for name in names
    ]


def strings_in(labels: Any) -> Iterator[str]:
    """All strings in nested lists and dictionaries."""
    if isinstance(labels, str):
        yield labels
    elif isinstance(labels, dict | list):
        for part in labels.values() if isinstance(labels, dict) else labels:
            yield from strings_in(part)
