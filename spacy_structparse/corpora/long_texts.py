"""Texts with more characters than a pipeline takes: `nlp.max_length`, by default a million."""

import re

_QUOTES = r"\u2019\u201d\u300d\u300f"
_SENTENCE_END = re.compile(
    rf"[.!?\u2026][\"')\]}}\u00bb{_QUOTES}]*\s|[\u3002\uff01\uff1f][{_QUOTES}]*"
)
"""Chinese and Japanese have no space after a sentence."""


class LongTextError(ValueError):
    """A text that is too long, and of which parts would not do."""


def too_long(length: int, most: int, parts: str = "documents") -> str:
    """The message of a text that is not parsed, of so many characters.

    Args:
        length: The text's characters.
        most: The characters that the pipeline takes.
        parts: What the text should be cut into.
    """
    return (
        f"its text has {length:,} characters, more than nlp.max_length = {most:,}: cut it into "
        f"several {parts}"
    )


def cut_text(text: str, most: int) -> list[str]:
    """Cut a text into parts, without the white space around them.

    In the second half of its characters a part ends at the last blank line; without one, at the
    last end of a sentence, line break, or white space. Where there is none of them it ends at the
    limit.

    Args:
        text: The text. Its paragraphs have a blank line between them.
        most: Maximum number of characters in a part, at least 1.
    """
    text = text.strip()
    parts: list[str] = []
    start = 0
    while len(text) - start > most:
        end = _last_end(text, start + (most + 1) // 2, start + most)
        parts.append(text[start:end].rstrip())
        start = end
        while text[start].isspace():
            start += 1
    return [*parts, text[start:]] if text else []


def _last_end(text: str, first: int, last: int) -> int:
    """The best place to cut a text, from the first to the last one that will do."""
    blank_line = text.rfind("\n\n", first, last + 2)
    if blank_line >= 0:
        return blank_line
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, first, last)]
    if sentences:
        return sentences[-1]
    line = text.rfind("\n", first, last + 1)
    if line >= 0:
        return line
    return next((place for place in range(last, first - 1, -1) if text[place].isspace()), last)
