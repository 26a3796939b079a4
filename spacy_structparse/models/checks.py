"""Checks of settings. Each raises a ValueError that names the architecture, the setting and what it
may be.

The signature of an architecture is the table of its settings: name, type, limits and default, and
which of them can be changed on a trained pipeline.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from numbers import Integral, Real
from typing import Annotated, Any, get_type_hints

from spacy.attrs import intify_attr
from thinc.api import Model


@dataclass(frozen=True)
class Limits:
    """The least and the largest value of a setting, as a part of its type."""

    least: float
    most: float = math.inf


ADJUSTABLE = "adjustable"
"""A part of the type of a setting that changes no weight: the value in the config is used."""
Size = Annotated[int, Limits(1)]
SizeOrNone = Annotated[int, Limits(0)]
Share = Annotated[float, Limits(0, 1)]
Factor = Annotated[float, Limits(0)]

EARLIER = "Leave it out; a smaller max_words takes less memory."
THE_PAPERS = "The papers have none."


def arguments_of(
    architecture: Callable[..., Any], config: Mapping[str, Any], *modules: Callable[..., Any]
) -> dict[str, Any]:
    """Choose what a module takes of the configuration of its weights.

    Settings of its architecture that it does not take, and removed ones, are left out. What neither
    knows stays, for the module to refuse: another version may have made the weights with it.

    Args:
        architecture: The registered function.
        config: The configuration.
        modules: The module, and the one that it passes further arguments on to.
    """
    taken = {name for module in modules for name in signature(module).parameters}
    known = {*signature(architecture).parameters, "labels", "decoder"}
    removed: frozenset[str] = getattr(architecture, "removed_settings", frozenset())
    left_out = (known - taken) | removed
    return {name: value for name, value in config.items() if name not in left_out}


def adjustable_settings(architecture: Callable[..., Any]) -> list[str]:
    """The settings of an architecture that can be changed on a trained pipeline."""
    return [name for name, parts in _parts_of_types(architecture) if ADJUSTABLE in parts]


def checked_settings(
    where: str, architecture: Callable[..., Any], values: Mapping[str, Any]
) -> dict[str, Any]:
    """Choose the settings of an architecture from the values of its arguments.

    Raises:
        ValueError: A value is not within the limits of its type.
    """
    settings = {}
    for name, parts in _parts_of_types(architecture):
        if name in values and not isinstance(values[name], Model):
            settings[name] = values[name]
            for limits in parts:
                if isinstance(limits, Limits):
                    check_number(where, name, values[name], limits)
    return settings


def _parts_of_types(architecture: Callable[..., Any]) -> list[tuple[str, tuple[Any, ...]]]:
    hints = get_type_hints(architecture, include_extras=True)
    del hints["return"]
    return [(name, getattr(hint, "__metadata__", ())) for name, hint in hints.items()]


def check_number(where: str, name: str, value: Any, limits: Limits, *, whole: bool = False) -> None:
    """Check that a setting is a finite number within limits, and whole if that is asked for."""
    kind, named = (Integral, "a whole number of ") if whole else (Real, "")
    is_number = (
        isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(float(value))
    )
    if not is_number or not limits.least <= float(value) <= limits.most:
        allowed = (
            f"at least {limits.least:g}"
            if limits.most == math.inf
            else f"from {limits.least:g} to {limits.most:g}"
        )
        raise ValueError(f"{where}: {name} is {value!r}, it must be {named}{allowed}")


def check_whole(where: str, name: str, value: Any, least: int = 0) -> None:
    """Check that a setting is a whole number, which is not too small."""
    check_number(where, name, value, Limits(least), whole=True)


def check_attribute(where: str, attr: str) -> None:
    """Check that spaCy knows an attribute of tokens."""
    if intify_attr(attr) is None:
        raise ValueError(f"{where}: '{attr}' is not a token attribute of spaCy")


def check_constrained(
    where: str, constrained: bool, linearization: str, attentions: Iterable[str]
) -> None:
    """Check that decoding without constraints has outputs that can be repaired: those of
    ``top_down`` parsers whose attention does not follow the brackets."""
    kinds = sorted(map(repr, set(attentions)))
    follows = any(kind.startswith("'datt") for kind in kinds)
    if not constrained and (linearization != "top_down" or follows):
        raise ValueError(
            f"{where}: constrained is false, which takes linearization 'top_down' and attention "
            f"'none' or 'probabilistic', not '{linearization}' and {', '.join(kinds)}"
        )
