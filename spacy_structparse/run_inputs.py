"""The inputs of a run: its config, with errors that name it, the files that the config names, and
what tells whether another run had the same."""

import hashlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

from spacy.language import DEFAULT_CONFIG
from thinc.api import Config, ConfigValidationError

from .printable import described

_OWN_SECTIONS = ("nlp", "training", "initialize")
_PACKAGES = ("spacy-structparse", "spacy", "torch")
_LONGEST_PATH = 1_000


class ResumeError(ValueError):
    """A run that cannot go on where another one has stopped."""


def versions() -> dict[str, str]:
    """The versions of the packages that an output depends on."""
    return {name: version(name) for name in _PACKAGES}


def difference(
    before: Mapping[str, Any], now: Mapping[str, Any], *, names: bool = False
) -> str | None:
    """The first difference between two runs, for a message; None: they are the same.

    names: the names of inputs count, and not their content alone.
    """
    for part in ("options", "versions"):
        for name in {**now[part], **before[part]}:
            was, value = before[part].get(name), now[part].get(name)
            if was != value:
                return f"{name} was {was}, and is {value}"
    if before["pipeline"] != now["pipeline"]:
        return "the pipeline is another one, or has changed"
    if len(before["inputs"]) != len(now["inputs"]):
        return f"it had {len(before['inputs'])} inputs, and there are {len(now['inputs'])}"
    for was, is_now in zip(before["inputs"], now["inputs"], strict=True):
        same_name = was["name"] == is_now["name"] or not names
        if (was["kind"], was["sha256"]) != (is_now["kind"], is_now["sha256"]) or not same_name:
            return f"{_named(was)} was an input, where {_named(is_now)} is one"
    return None


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


def files_of(config: Config) -> list[Path]:
    """The files and folders that a config names, other than by a bare word outside of [paths]."""
    found = dict[Path, None]()
    for name, value in settings_in(config.interpolate()):
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str) and 0 < len(one) < _LONGEST_PATH and "\0" not in one:
                path = Path(one)
                is_path = name.startswith("paths.") or path.suffix or len(path.parts) > 1
                if is_path and path.exists():
                    found[path] = None
    return list(found)


def settings_in(section: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The settings of a section of a config and of those in it, with their full names."""
    for key, value in section.items():
        if isinstance(value, Mapping) and value:
            yield from settings_in(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


@contextmanager
def locked(path: Path) -> Iterator[BinaryIO]:
    """Open a file for one process at a time; it is made if it is not there.

    The lock ends with the process, however it ends. On Windows there is none.

    Raises:
        ResumeError: Another process has it.
        OSError: The file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "r+b") as file:
        if sys.platform != "win32":
            import fcntl

            try:
                # A lock of the process: its workers, which may live a moment longer, have none.
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise ResumeError(f"another process is writing {path}: let it end") from error
        yield file


def _named(described: Mapping[str, Any]) -> str:
    return f"{described['name']} ({described['kind']}, {described['bytes']} bytes)"


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
