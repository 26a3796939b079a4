"""The format of a file to write, which its ending says."""

from collections.abc import Sequence
from pathlib import Path


class FormatError(ValueError):
    """A file's ending is none of those that can be written."""


def check_format(output: Path, formats: Sequence[str]) -> None:
    """Raises FormatError if a file's ending is not one of ``formats``."""
    if output.suffix not in formats:
        raise FormatError(f"--output {output} must end in one of {', '.join(formats)}")
