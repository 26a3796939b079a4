"""The attributes of tokens that patterns can test."""

from spacy import attrs

from .errors import PatternError

TOKEN_ATTRIBUTES = {
    "ORTH": attrs.ORTH,
    "TEXT": attrs.ORTH,
    "LOWER": attrs.LOWER,
    "NORM": attrs.NORM,
    "SHAPE": attrs.SHAPE,
    "PREFIX": attrs.PREFIX,
    "SUFFIX": attrs.SUFFIX,
    "LEMMA": attrs.LEMMA,
    "TAG": attrs.TAG,
    "POS": attrs.POS,
    "MORPH": attrs.MORPH,
    "DEP": attrs.DEP,
    "ENT_TYPE": attrs.ENT_TYPE,
}
"""The attributes, as spaCy's `Matcher` calls them: those with a string as their value."""


def attribute_name(name: str) -> str:
    """The name of an attribute in capitals.

    Raises:
        PatternError: There is no such attribute.
    """
    if name.upper() not in TOKEN_ATTRIBUTES:
        raise PatternError(
            f"{name!r} is no attribute of tokens that a pattern can test; these are: "
            f"{', '.join(TOKEN_ATTRIBUTES)}"
        )
    return name.upper()
