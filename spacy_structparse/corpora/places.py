"""Where a Doc was read from, for messages about it."""

from typing import Any

from spacy.tokens import Doc

from .report import Problem

PLACE = "spacy_structparse.place"
"""The key of `doc.user_data`, between reading and writing, for the place."""


def set_place(doc: Doc, file: str, line: int, name: str) -> None:
    """Note where a Doc was read from.

    Args:
        doc: The Doc.
        file: The name of the file.
        line: The line that it begins on, from 1; 0 in a file without lines.
        name: The id of its sentence, or what it is called in the file. May be empty.
    """
    doc.user_data[PLACE] = (file, line, name)


def forget_place(doc: Doc) -> None:
    """Remove the place of a Doc."""
    doc.user_data.pop(PLACE, None)


def problem_at(doc: Doc, kind: str, reason: str) -> Problem:
    """The problem that a Doc is left out.

    Args:
        doc: A Doc with a place.
        kind: As `Problem` has it.
        reason: Why.
    """
    place: Any = doc.user_data[PLACE]
    file, line, name = place
    return Problem(file, line, name, kind, reason)
