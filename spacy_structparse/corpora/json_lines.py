"""Texts in JSON lines: an object a line, whose `text` is the text."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from .text_lines import TextReadError, text_lines
from .treebank_docs import name_of

RECORD = "spacy_structparse.record"
"""The key of `doc.user_data` for the other values of a Doc's object, as JSON."""
TEXT = "text"


def read_json_lines(source: Path, nlp: Language) -> Iterator[Doc]:
    """Read the Docs, tokenized, of the objects of a file, or of the standard input for `-`.

    The other values of an object are kept as `doc.user_data[RECORD]`.

    Raises TextReadError, which names the line, for one that is no object with a text.
    """
    for number, line in enumerate(text_lines(source), start=1):
        if not line:
            continue
        try:
            text, record = text_and_record(line)
            doc = nlp.make_doc(text)
        except (ValueError, RecursionError) as error:
            raise TextReadError(f"{name_of(source)}: line {number}: {error}") from error
        if record:
            doc.user_data[RECORD] = json.dumps(record)
        yield doc


def text_and_record(line: str) -> tuple[str, dict[str, Any]]:
    """The text of an object, and its other values.

    Raises ValueError or RecursionError for a line that is no object with a text.
    """
    record = json.loads(line)
    if not isinstance(record, dict) or not isinstance(record.get(TEXT), str):
        raise ValueError(f"no object with a string '{TEXT}'")
    text = record.pop(TEXT)
    text.encode()  # half of a surrogate pair is no text
    return text, record


def record_of(doc: Doc) -> dict[str, Any]:
    """The other values of the object that a Doc was read from."""
    try:
        record = json.loads(doc.user_data.get(RECORD, "{}"))
    except (ValueError, TypeError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def json_texts(source: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The texts of the objects of a file, or of the standard input for `-`, with their other
    values.

    Raises TextReadError, which names the line, for one that is no object with a text.
    """
    for number, line in enumerate(text_lines(source), start=1):
        if not line:
            continue
        try:
            yield text_and_record(line)
        except (ValueError, RecursionError) as error:
            raise TextReadError(f"{name_of(source)}: line {number}: {error}") from error
