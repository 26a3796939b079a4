"""What a setting of an architecture may be. Each check raises a ValueError that names the
architecture, the setting and what it may be."""

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, Literal, get_args, get_origin, get_type_hints

from spacy.attrs import intify_attr

RELEASE = "0.2.0"
LESS_MEMORY = "Less memory: a smaller max_words."
SINGLE_PRECISION = "Only a transformer has it."

_TEXT_ATTRIBUTES = {
    "ORTH", "LOWER", "NORM", "SHAPE", "PREFIX", "SUFFIX", "LEMMA", "TAG", "POS", "MORPH", "DEP",
    "ENT_TYPE", "ENT_ID", "ENT_KB_ID", "LANG",
}  # fmt: skip


def literal_values(kind: Any) -> tuple[Any, ...]:
    """The values of a type of literals; none of other types."""
    return get_args(kind) if get_origin(kind) is Literal else ()


def choices(build: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """The values of the settings that a builder's signature types as literals."""
    types = get_type_hints(build)
    return {name: found for name, kind in types.items() if (found := literal_values(kind))}


def check_choices(
    architecture: str, build: Callable[..., Any], settings: Mapping[str, Any]
) -> None:
    """Each setting has a value that the builder's signature allows."""
    for name, allowed in choices(build).items():
        if settings[name] not in allowed:
            raise ValueError(
                f"{architecture}: {name} is '{settings[name]}', choose one of {', '.join(allowed)}"
            )


def check_at_least_one(
    architecture: str, settings: Mapping[str, Any], names: Iterable[str]
) -> None:
    """Sizes and numbers of things are 1 or more."""
    for name in names:
        value = settings[name]
        if not isinstance(value, Real) or value < 1:
            raise ValueError(f"{architecture}: {name} is {value!r}, it must be at least 1")


def check_not_negative(where: str, name: str, value: Any, *, whole: bool = True) -> None:
    """A limit is a number of 0 or more, and unless it is one of norms, a whole number."""
    kind, named = (Integral, "a whole number") if whole else (Real, "a number")
    if not isinstance(value, kind) or not float(value) >= 0:
        raise ValueError(f"{where}: {name} is {value!r}, it must be {named} of at least 0")


def check_attribute(where: str, attr: str) -> None:
    """An attribute of tokens is one that spaCy knows."""
    if intify_attr(attr) is None:
        raise ValueError(f"{where}: '{attr}' is not a token attribute of spaCy")


def check_text_attribute(where: str, attr: str) -> None:
    """An attribute of tokens is one whose values are texts, not numbers as those of HEAD."""
    check_attribute(where, attr)
    if intify_attr(attr) not in map(intify_attr, _TEXT_ATTRIBUTES):
        raise ValueError(
            f"{where}: the values of '{attr}' are not texts. Those of ORTH, LOWER, NORM, LEMMA, "
            "TAG and POS, among others, are"
        )


def check_constrained(
    where: str, constrained: bool, linearization: str, attentions: Iterable[str]
) -> None:
    """Decoding without constraints is for outputs that can be repaired: those of ``top_down``
    parsers whose attention does not follow the brackets."""
    kinds = sorted(set(attentions))
    follows = any(kind.startswith("datt") for kind in kinds)
    if not constrained and (linearization != "top_down" or follows):
        raise ValueError(
            f"{where}: constrained is false, which takes linearization 'top_down' and attention "
            f"'none' or 'probabilistic', not '{linearization}' and "
            + ", ".join(f"'{kind}'" for kind in kinds)
        )
