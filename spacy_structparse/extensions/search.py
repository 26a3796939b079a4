"""Attributes of search on Doc: `syntax_measures`, `phrases` and `chunks`.

- ``doc._.syntax_measures``: the measures of `spacy_structparse.tools.search.measures`, by name.
- ``doc._.phrases("NP")``: the phrases with a label, function tags aside, as labelled Spans in
  pre-order. A phrase comes before those inside it.
- ``doc._.chunks(kind)``: phrases of a kind, `NP`, `VP` or `clause`.

Every component brings them, so the module of search is imported when one of them is first used.
"""

from importlib import import_module
from typing import Any

from spacy.tokens import Doc, Span

from .free_names import set_where_free


def syntax_measures(doc: Doc) -> Any:
    """Measure a Doc; see :func:`spacy_structparse.tools.search.measures.syntax_measures`."""
    return _module("measures").syntax_measures(doc)


def phrases(doc: Doc, label: str) -> list[Span]:
    """The phrases with a label; see :func:`spacy_structparse.tools.search.phrases.phrases`."""
    return _module("phrases").phrases(doc, label)


def chunks(doc: Doc, kind: str) -> list[Span]:
    """The chunks of a kind; see :func:`spacy_structparse.tools.search.phrases.chunks`."""
    return _module("phrases").chunks(doc, kind)


def _module(name: str) -> Any:
    return import_module(f"spacy_structparse.tools.search.{name}")


set_where_free(Doc, "syntax_measures", getter=syntax_measures)
set_where_free(Doc, "phrases", method=phrases)
set_where_free(Doc, "chunks", method=chunks)
