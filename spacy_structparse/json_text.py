"""JSON that people can read and that can always be written to a file."""

import json
from typing import Any


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
