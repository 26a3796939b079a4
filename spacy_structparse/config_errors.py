"""The errors of training configs: unknown settings, and configs that cannot be used."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from spacy.language import DEFAULT_CONFIG
from thinc.api import ConfigValidationError

from .printable import described
from .resuming import settings_in

_N_LISTED = 12
_OWN_SECTIONS = ("nlp", "training", "initialize")


def unknown_override(names: Iterable[str], path: Path) -> str | None:
    """The message of the first setting that spaCy would pass over: one that its own sections do
    not have. It checks the settings of functions and components itself.

    Args:
        names: Settings from the command line, by their full names.
        path: The config file, for the message.
    """
    known = {name for name, _ in settings_in(DEFAULT_CONFIG)} | set(sections_in(DEFAULT_CONFIG))
    for name in names:
        if name.rpartition(".")[0] in _OWN_SECTIONS and name not in known:
            return unknown_setting("--", name, known, path)
    return None


def unknown_setting(option: str, name: str, known: Collection[str], path: Path) -> str:
    """The message of an unknown setting: those that may be meant, and those beside it.

    Args:
        option: What stands before the setting on the command line.
        name: Its full name.
        known: The settings and sections of the config.
        path: The config file.
    """
    message = f"{option}{name}: {path} has no such setting"
    last = name.rpartition(".")[2]
    close = get_close_matches(name, known, cutoff=0.85)
    close += [one for one in sorted(known) if one.rpartition(".")[2] == last and one not in close]
    if close:
        message += f". Close to it: {', '.join(close[:_N_LISTED])}"
    section = name.rpartition(".")[0]
    while section and section not in known:
        section = section.rpartition(".")[0]
    above = f"{section}." if section else ""
    beside = {one.removeprefix(above).partition(".")[0] for one in known if one.startswith(above)}
    return f"{message}. [{section}] has {', '.join(sorted(beside))}"


def sections_in(section: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The full names of the sections in a section of a config."""
    for key, value in section.items():
        if isinstance(value, Mapping):
            yield f"{above}{key}"
            yield from sections_in(value, f"{above}{key}.")


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
        raise kind(f"{path} is no config that can be trained: {in_one_line(error)}") from error


def in_one_line(error: Exception) -> str:
    """The message of an error of a config in one line."""
    if isinstance(error, ConfigValidationError) and error.errors:
        parent = [error.parent] if error.parent else []
        return "; ".join(
            f"{'.'.join(map(str, [*parent, *one.get('loc', ())]))}: {one.get('msg')}"
            for one in error.errors
        )
    return " ".join(described(error).split())
