"""Texts in JSON lines: an object a line, whose `text` is the text."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..printable import described
from .text_lines import byte_lines, not_utf8

RECORD = "spacy_structparse.record"
"""The key of `doc.user_data` for the other values of a Doc's object, as JSON."""
TEXT = "text"


class JsonText(NamedTuple):
    """A line with an object.

    Attributes:
        line: Its number, from 1.
        text: The text.
        record: The other values.
        error: Why there is no text. Empty: there is one.
    """

    line: int
    text: str
    record: Mapping[str, Any] = {}
    error: str = ""


class JsonLineError(ValueError):
    """A line that is not UTF-8, or no object with a text."""


def json_texts(source: Path) -> Iterator[JsonText]:
    """The objects of a file, or of the standard input for `-`. Blank lines are left out.

    Raises TextReadError for a file that cannot be read.
    """
    for number, line in enumerate(byte_lines(source), start=1):
        try:
            if found := text_and_record(line):
                yield JsonText(number, *found)
        except JsonLineError as error:
            yield JsonText(number, "", error=str(error))


def text_and_record(line: bytes) -> tuple[str, dict[str, Any]] | None:
    """The text of an object, and its other values; None for a blank line.

    Raises JsonLineError for a line that is not UTF-8, or no object with a text.
    """
    try:
        data = line.decode().strip()
        if not data:
            return None
        record = json.loads(data)
        if not isinstance(record, dict) or not isinstance(record.get(TEXT), str):
            raise ValueError(f"no object with a string '{TEXT}'")
        text = record.pop(TEXT)
        text.encode()  # half of a surrogate pair is no text
    except UnicodeDecodeError as error:
        raise JsonLineError(not_utf8(error)) from error
    except (ValueError, RecursionError) as error:
        raise JsonLineError(described(error)) from error
    return text, record


def record_json(record: Mapping[str, Any]) -> str:
    """The other values of an object as JSON; empty if there are none.

    NaN and infinities, which JSON does not have, are null. Values of other types are strings.
    """
    if not record:
        return ""
    try:
        return json.dumps(record, allow_nan=False, default=str)
    except ValueError:
        return json.dumps(_finite(json.dumps(record, default=str)))


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
