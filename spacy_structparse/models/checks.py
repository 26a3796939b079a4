"""Checks of settings. Each raises a ValueError that names the architecture, the setting and what it
may be."""

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

from spacy.attrs import intify_attr

EARLIER = "Leave it out; a smaller max_words takes less memory."
THE_PAPERS = "The papers have none."

_TEXT_ATTRIBUTES = {
    "ORTH", "LOWER", "NORM", "SHAPE", "PREFIX", "SUFFIX", "LEMMA", "TAG", "POS", "MORPH", "DEP",
    "ENT_TYPE", "ENT_ID", "ENT_KB_ID", "LANG",
}  # fmt: skip


def check_sizes(
    architecture: str, settings: Mapping[str, Any], may_be_zero: Iterable[str] = ()
) -> None:
    """Check that widths and depths are 1 or more, but for those that may be 0."""
    sizes = [name for name in settings if name.endswith(("width", "depth"))]
    check_at_least_one(architecture, settings, [name for name in sizes if name not in may_be_zero])


def check_at_least_one(
    architecture: str, settings: Mapping[str, Any], names: Iterable[str]
) -> None:
    """Check that numbers are 1 or more."""
    for name in names:
        value = settings[name]
        if not isinstance(value, Real) or value < 1:
            raise ValueError(f"{architecture}: {name} is {value!r}, it must be at least 1")


def check_not_negative(where: str, name: str, value: Any, *, whole: bool = True) -> None:
    """Check that a limit is a number of 0 or more, and unless it is one of norms, a whole one."""
    kind, named = (Integral, "a whole number") if whole else (Real, "a number")
    if not isinstance(value, kind) or not float(value) >= 0:
        raise ValueError(f"{where}: {name} is {value!r}, it must be {named} of at least 0")


def check_attribute(where: str, attr: str) -> None:
    """Check that spaCy knows an attribute of tokens."""
    if intify_attr(attr) is None:
        raise ValueError(f"{where}: '{attr}' is not a token attribute of spaCy")


def check_text_attribute(where: str, attr: str) -> None:
    """Check that the values of an attribute of tokens are texts, not numbers as those of HEAD."""
    check_attribute(where, attr)
    if intify_attr(attr) not in map(intify_attr, _TEXT_ATTRIBUTES):
        raise ValueError(
            f"{where}: the values of '{attr}' are not texts. Those of ORTH, LOWER, NORM, LEMMA, "
            "TAG and POS, among others, are"
        )


def check_constrained(
    where: str, constrained: bool, linearization: str, attentions: Iterable[str]
) -> None:
    """Check that decoding without constraints has outputs that can be repaired: those of
    ``top_down`` parsers whose attention does not follow the brackets."""
    kinds = sorted(set(attentions))
    follows = any(kind.startswith("datt") for kind in kinds)
    if not constrained and (linearization != "top_down" or follows):
        raise ValueError(
            f"{where}: constrained is false, which takes linearization 'top_down' and attention "
            f"'none' or 'probabilistic', not '{linearization}' and "
            + ", ".join(f"'{kind}'" for kind in kinds)
        )
