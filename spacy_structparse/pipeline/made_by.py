"""The version of this package that saved a pipeline, and messages that name it.

Every component with weights records the version in its ``cfg``, which is saved with it. Components
know nothing of their pipeline but the folder, so the messages name the folder and come once.
"""

import re
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import srsly
from packaging.version import InvalidVersion, Version
from spacy.util import get_package_path, is_package
from thinc.api import Config

RECORD = "spacy_structparse_version"
"""The key in the ``cfg`` of a component."""
_PACKAGE = "spacy-structparse"
AUTHOR = "the spacy-structparse developers"
"""The author in the ``meta.json`` of the pipelines that come with this package."""
_SHARED_FACTORIES = {"tok2vec", "transformer", "senter", "tagger", "morphologizer"}
_VERSION = re.compile(r"[\w.+!-]{1,40}")


def record_version(cfg: dict[str, Any]) -> None:
    """Record this version in the ``cfg`` of a component, before it is saved."""
    cfg[RECORD] = version(_PACKAGE)


def version_note(record: object) -> str:
    """The end of a message of a component that cannot be loaded: another version saved it.

    Args:
        record: The version in its ``cfg``; None: it has none.

    Returns:
        A sentence after a full stop. Empty if this version saved the component.
    """
    this = version(_PACKAGE)
    if record == this:
        return ""
    if isinstance(record, str) and _VERSION.fullmatch(record):
        maker, remedy = f"{_PACKAGE} {record}", f"install {record}"
    else:
        maker, remedy = f"an earlier version of {_PACKAGE}", "install that version"
    return f". It was made by {maker}, this is {this}: {remedy} or train again"


def warn_of_newer(record: object, folder: Path) -> None:
    """Warn, once for each pipeline, of one that a newer minor version of this package saved.

    Args:
        record: The version in the ``cfg`` of a component that was loaded.
        folder: The folder of the pipeline.
    """
    this = version(_PACKAGE)
    try:
        is_newer = Version(str(record)).release[:2] > Version(this).release[:2]
    except InvalidVersion:  # None of an early version, or a damaged file
        return
    if is_newer:
        _warn_once(f"{folder} was saved by {_PACKAGE} {record}, this is {this}: update {_PACKAGE}")


def warn_of_inherited_meta(folder: Path, was_trained: bool) -> None:
    """Warn, once for each folder, of a changed pipeline whose meta data is still of this package.

    Args:
        folder: The folder of the pipeline, which is being saved.
        was_trained: Whether a component has learned since it was loaded.
    """
    meta = folder / "meta.json"
    config = folder / "config.cfg"
    if not (meta.is_file() and config.is_file()):  # a component that is saved alone
        return
    described = srsly.read_json(meta)
    if described.get("author") != AUTHOR:
        return
    components = Config().from_disk(config, interpolate=False)["components"]
    factories = {settings["factory"] for settings in components.values()}
    if was_trained or factories - _SHARED_FACTORIES - _own_factories():
        _warn_once(
            f"{meta} still describes {described['lang']}_{described['name']} "
            f"{described['version']}: before saving, set name, version, description, author, "
            "license and performance in nlp.meta"
        )


@cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=4)


def pipeline_note(model: str | Path) -> str:
    """`version_note` of the first component of a saved pipeline that has one.

    Args:
        model: A folder, or the name of an installed package.

    Returns:
        The note. Empty also where no component can be read.
    """
    try:
        return next(filter(None, map(version_note, _records(_folder_of(model)))), "")
    except Exception:  # the folder is known to be bad, and has been reported
        return ""


def _folder_of(model: str | Path) -> Path:
    """The folder with the config of a pipeline."""
    if not is_package(str(model)):
        return Path(model)
    return next(get_package_path(str(model)).glob("*/config.cfg")).parent


def _records(folder: Path) -> Iterator[object]:
    """The records of this package's components in a folder; None for one without a record."""
    config = folder / "config.cfg"
    if not config.is_file():  # nor a pipe, which could be read for ever
        return
    ours = _own_factories()
    components = Config().from_disk(config, interpolate=False)["components"]
    for name, settings in components.items():
        path = folder / name / "cfg"
        # A component without weights has no cfg.
        if settings.get("factory") in ours and path.is_file():
            yield srsly.read_json(path).get(RECORD)


def _own_factories() -> set[str]:
    entries = entry_points(group="spacy_factories")
    return {entry.name for entry in entries if entry.value.startswith("spacy_structparse.")}
