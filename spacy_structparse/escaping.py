"""Text from data and of errors, made fit to be looked at or to be written as JSON or CSV.

A file's words, labels and names may hold characters that steer a terminal, or that show text in
another order than it is written in.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

# Control characters, line and paragraph separators, what has Unicode's property Bidi_Control,
# halves of surrogate pairs, and noncharacters that XML cannot hold.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


_LONGEST = 2_000


def escape_control(text: str, keep: str = "") -> str:
    r"""The text with hidden characters written as Python writes them: ``\x1b``, ``\u202e``.

    Args:
        text: The text.
        keep: Hidden characters that stay, such as the line breaks of a text of several lines.
    """
    return _HIDDEN.sub(lambda match: match[0] if match[0] in keep else _spelled(match[0]), text)


def error_text(error: BaseException) -> str:
    """The message of an error, with its kind if it is neither of a value nor of a file.

    The message of a KeyError is a name alone. Libraries quote values of any length.
    """
    message = str(error)
    if len(message) > _LONGEST:
        message = f"{message[:_LONGEST]} …"
    if message and isinstance(error, ValueError | OSError):
        return message
    return f"{type(error).__name__}: {message}"


@contextmanager
def errors_as(kind: type[Exception], place: str, remedy: str) -> Iterator[None]:
    """Raise any error within as one of a kind: the content of a file can be wrong in every way.

    Args:
        kind: The kind of error. Errors of just this kind, and those of the file system, stay as
            they are.
        place: The beginning of the message.
        remedy: The end of the message, an imperative.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) or type(error) is kind:
            raise
        raise kind(f"{place}: {error_text(error)}. {remedy}") from error


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON with letters of all scripts as they are, which UTF-8 can encode.

    A half of a surrogate pair is no letter, and UTF-8 has no bytes for it. Texts that were cut
    within an emoji have one, and names of files that are not UTF-8. It is escaped, as JSON allows.

    Args:
        value: Of types that JSON has.
        indent: As in `json.dumps`.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return text.encode(errors="backslashreplace").decode()


def table_text(rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Write rows of cells as CSV, or with tabs as the delimiter as TSV."""
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return table.getvalue()
