"""Kinds of files, by the suffixes of their names."""

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar

Kind = TypeVar("Kind", bound=Enum)


def kind_of(name: str, suffixes: Mapping[str, Kind]) -> Kind | None:
    """The kind of a file, by its name or path in upper or lower case; None: it is not known.

    Args:
        name: The name.
        suffixes: The kinds by their suffixes, which are in lower case and begin with a dot.
    """
    lowered = name.lower()
    return next((kind for suffix, kind in suffixes.items() if lowered.endswith(suffix)), None)


def shown_kinds(suffixes: Mapping[str, Enum]) -> str:
    """The kinds with their suffixes, for messages: `text (.txt, .text), jsonl (.jsonl)`."""
    by_kind: dict[str, list[str]] = {}
    for suffix, kind in suffixes.items():
        by_kind.setdefault(str(kind.value), []).append(suffix)
    return ", ".join(f"{kind} ({', '.join(its)})" for kind, its in by_kind.items())
