"""The version of this package that saved a pipeline, and errors that name it.

Every component with weights records the version in its ``cfg``, which is saved with it.
"""

import re
from collections.abc import Iterator
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import srsly
from spacy.util import get_package_path, is_package
from thinc.api import Config

RECORD = "spacy_structparse_version"
"""The key in the ``cfg`` of a component."""
_PACKAGE = "spacy-structparse"
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
    ours = {
        one.name
        for one in entry_points(group="spacy_factories")
        if one.value.startswith("spacy_structparse.")
    }
    components = Config().from_disk(config, interpolate=False)["components"]
    for name, settings in components.items():
        path = folder / name / "cfg"
        # A component without weights has no cfg.
        if settings.get("factory") in ours and path.is_file():
            yield srsly.read_json(path).get(RECORD)
