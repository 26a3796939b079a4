"""Data that Docs keep of their source: an id, and the other values of an object of JSON lines."""

import json
from collections.abc import Mapping
from typing import Any

from spacy.tokens import Doc

from .conllu_columns import SOURCE, comment_key

DOCUMENT = "spacy_structparse.document"
"""The key of `doc.user_data` for the id of a document."""
RECORD = "spacy_structparse.record"
"""The key of `doc.user_data` for the other values of a Doc's object, as JSON."""


def own_id(doc: Doc) -> str | None:
    """Return the id that a Doc comes with; None if it belongs to the document before it.

    A document may have an empty id.
    """
    source: Any = doc.user_data.get(SOURCE)
    lines = source.get(0, "").split("\n") if isinstance(source, dict) else ()
    for line in lines:
        if not line.startswith("#"):
            break
        key = comment_key(line)
        if key == "newdoc" or key.startswith("newdoc "):
            return line.partition("=")[2].strip()
    name: Any = doc.user_data.get(DOCUMENT)
    return name if isinstance(name, str) else None


def record_json(record: Mapping[str, Any]) -> str:
    """The other values of an object as JSON; empty if there are none.

    NaN and infinities, which JSON does not have, are null. Values of other types are strings.
    """
    return json.dumps(_finite(json.dumps(record, default=str))) if record else ""


def record_of(doc: Doc) -> dict[str, Any]:
    """The other values of the object that a Doc was read from."""
    try:
        record = _finite(doc.user_data.get(RECORD, "{}"))
    except (ValueError, TypeError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _finite(data: str) -> Any:
    """The values of JSON, with None for NaN and infinities, which Python reads and writes."""
    return json.loads(data, parse_constant=lambda name: None)
