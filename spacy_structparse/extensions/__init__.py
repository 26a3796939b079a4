"""Attributes of Doc, Span and Token, which are set only where nobody has set one of that name.

- ``doc._.translation``: the words of a Doc's translation with spaces between them. None: there is
  no translation. It is serialized with the Doc's ``user_data``.
- ``doc._.syntax_measures``: the measures of `spacy_structparse.tools.search.measures`, by name.
- ``doc._.phrases("NP")``: the phrases with a label, function tags aside, as labelled Spans in
  pre-order. A phrase comes before those inside it.
- ``doc._.chunks(kind)``: phrases of a kind, `NP`, `VP` or `clause`.


The module of search is imported when one of its attributes is first used.
"""

from collections.abc import Iterable
from importlib import import_module
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


def stored(doc: Doc) -> dict[Any, Any]:
    """The ``user_data`` of a Doc, which has attributes by tuples: ``"._."``, the name, the first
    character and, of a Span, the last."""
    return doc.user_data


def stored_keys(doc: Doc, names: Iterable[str]) -> list[tuple[str, str, int, int | None]]:
    """Find the keys of the stored attributes of the tokens and spans of a Doc.

    Args:
        doc: The Doc.
        names: The attributes.
    """
    keys = [key for key in stored(doc) if isinstance(key, tuple) and len(key) == 4]
    return [key for key in keys if key[1] in names]


def clear_stored(doc: Doc, names: Iterable[str]) -> None:
    """Remove stored attributes of the tokens and spans of a Doc."""
    for key in stored_keys(doc, names):
        del stored(doc)[key]


def syntax_measures(doc: Doc) -> Any:
    """Measure a Doc; see :func:`spacy_structparse.tools.search.measures.syntax_measures`."""
    return _module("measures").syntax_measures(doc)


def phrases(doc: Doc, label: str) -> list[Span]:
    """The phrases with a label; see :func:`spacy_structparse.tools.search.matcher.phrases`."""
    return _module("matcher").phrases(doc, label)


def chunks(doc: Doc, kind: str) -> list[Span]:
    """The chunks of a kind; see :func:`spacy_structparse.tools.search.matcher.chunks`."""
    return _module("matcher").chunks(doc, kind)


def _module(name: str) -> Any:
    return import_module(f"spacy_structparse.tools.search.{name}")


set_where_free(Doc, "translation", default=None)
set_where_free(Doc, "syntax_measures", getter=syntax_measures)
set_where_free(Doc, "phrases", method=phrases)
set_where_free(Doc, "chunks", method=chunks)
