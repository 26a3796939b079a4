"""What a setting of an architecture may be. Each check raises a ValueError that names the
architecture, the setting and what it may be."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def check_choices(
    architecture: str, settings: Mapping[str, Any], choices: Mapping[str, Sequence[str]]
) -> None:
    """Each setting named in ``choices`` is one of those."""
    for name, allowed in choices.items():
        if settings[name] not in allowed:
            raise ValueError(
                f"{architecture}: {name} is '{settings[name]}', choose one of {', '.join(allowed)}"
            )


def check_at_least_one(
    architecture: str, settings: Mapping[str, Any], names: Iterable[str]
) -> None:
    """Sizes and numbers of things are 1 or more."""
    for name in names:
        if settings[name] < 1:
            raise ValueError(f"{architecture}: {name} is {settings[name]}, it must be at least 1")
