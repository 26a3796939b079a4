"""The inputs of a run: errors of its config that name it, and checksums that identify the rest."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path

from spacy.language import DEFAULT_CONFIG
from thinc.api import ConfigValidationError

from .printable import described

_OWN_SECTIONS = ("nlp", "training", "initialize")
_PACKAGES = ("spacy-structparse", "spacy", "torch")


def versions() -> dict[str, str]:
    """The versions of the packages that an output depends on."""
    return {name: version(name) for name in _PACKAGES}


def checksum(path: Path) -> str:
    """The SHA-256 of a file, or of the names and the content of all files of a folder."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    total = hashlib.sha256()
    for inside in sorted(path.rglob("*")):
        if inside.is_file() and inside.parent.name != "__pycache__":
            total.update(f"{inside.relative_to(path).as_posix()}\0{checksum(inside)}\n".encode())
    return total.hexdigest()


def unknown_override(names: Iterable[str], path: Path) -> str | None:
    """The message of the first setting that spaCy would pass over: one that its own sections do
    not have. It checks the settings of functions and components itself.

    Args:
        names: Settings from the command line, by their full names.
        path: The config file, for the message.
    """
    for name in names:
        section, _, setting = name.rpartition(".")
        if section in _OWN_SECTIONS and setting not in DEFAULT_CONFIG[section]:
            close = get_close_matches(setting, DEFAULT_CONFIG[section], cutoff=0.7)
            meant = f". Close to it: {section}.{close[0]}" if close else ""
            known = ", ".join(sorted(DEFAULT_CONFIG[section]))
            return f"--{name}: {path} has no such setting{meant}. [{section}] has {known}"
    return None


@contextmanager
def unusable_config(path: Path, kind: type[ValueError]) -> Iterator[None]:
    """Within it, a pipeline is made of a config. An error of it or of any component becomes one
    that names the config in one line; an OSError stays.

    Args:
        path: The config file, for the message.
        kind: The type of the error.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise kind(f"{path} is no config that can be trained: {_in_one_line(error)}") from error


def _in_one_line(error: Exception) -> str:
    """The message of an error of a config in one line."""
    if isinstance(error, ConfigValidationError) and error.errors:
        parent = [error.parent] if error.parent else []
        return "; ".join(
            f"{'.'.join(map(str, [*parent, *one.get('loc', ())]))}: {one.get('msg')}"
            for one in error.errors
        )
    return " ".join(described(error).split())
