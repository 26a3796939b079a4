"""Attributes that are set only where nobody has set one of the same name."""

from typing import Any

from spacy.tokens import Doc, Span, Token


def set_where_free(owner: type[Doc] | type[Span] | type[Token], name: str, **value: Any) -> None:
    """Set an attribute of Docs, Spans or Tokens, unless it exists.

    Args:
        owner: The class.
        name: The attribute's name, as in ``doc._.name``.
        value: ``default``, ``getter`` or ``method``, as in ``Doc.set_extension``.
    """
    if not owner.has_extension(name):
        owner.set_extension(name, **value)
