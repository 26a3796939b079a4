"""How much text the page takes, and how much of it is drawn."""

MAX_CHARACTERS = 20_000
MAX_DRAWN = 150
"""The words of the longest sentence that is drawn."""
COMMAND = "python -m spacy structparse parse"


class RefusedTextError(ValueError):
    """A text that the page does not parse."""


def checked_text(text: str, most: int = MAX_CHARACTERS) -> str:
    """The text without the space around it.

    Args:
        text: What was typed or uploaded.
        most: The characters that are taken.

    Raises:
        RefusedTextError: There are no words, or too many characters.
    """
    text = text.strip()
    if not text:
        raise RefusedTextError("There is no text: type some words.")
    if len(text) > most:
        raise RefusedTextError(too_long(len(text), most, "this page"))
    return text


def too_long(length: int, most: int, reader: str) -> str:
    """The message of a text with more characters than are taken by the page or by a pipeline."""
    return (
        f"The text has {length:,} characters, and {reader} takes {most:,}. Give a part of it, or "
        f"parse it as a file: {COMMAND} MODEL FILE.txt"
    )


def uploaded_text(name: str, data: bytes, most: int = MAX_CHARACTERS) -> str:
    """The text of an uploaded file.

    Raises:
        RefusedTextError: It is not UTF-8 text, or not one that `checked_text` takes.
    """
    # A character takes four bytes at most: a longer file is not even decoded.
    if len(data) > 4 * most:
        raise RefusedTextError(
            f"{name} has {len(data):,} bytes, and this page takes {most:,} characters. Upload a "
            f"part of it, or parse it on the command line: {COMMAND} MODEL FILE.txt"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedTextError(
            f"{name} is not UTF-8 text: byte {error.start + 1}: {error.reason}. Save it as UTF-8."
        ) from error
    return checked_text(text, most)
