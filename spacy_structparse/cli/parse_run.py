"""What a run of `spacy structparse parse` is, so that `--resume` goes on with no other one."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language

from ..resuming import ResumeError, checksum, versions
from .input_formats import InputFormat
from .output_checks import STANDARD_OUTPUT
from .parse_formats import Format
from .parse_inputs import Input

RESUMABLE = (Format.conllu, Format.ptb, Format.json, Format.terminal)


def check_resumable(style: Format, output: Path, inputs: Sequence[Input]) -> None:
    """Raise ResumeError for a run that cannot be interrupted and go on."""
    if style not in RESUMABLE:
        raise ResumeError(
            f"--resume is for --format {', '.join(one.value for one in RESUMABLE)}: their output "
            f"grows by whole sentences. That of {style.value} does not"
        )
    if str(output) == STANDARD_OUTPUT or (output.exists() and not output.is_file()):
        raise ResumeError(f"--resume needs --output FILE, not {output}")
    for one in inputs:
        if not isinstance(one, str) and not one[0].is_file():
            raise ResumeError(
                f"--resume reads the inputs again, and {one[0]} can be read once: write it to a "
                "file first"
            )


def describe_run(
    inputs: Sequence[Input], nlp: Language, options: Mapping[str, Any]
) -> dict[str, Any]:
    """All that the output of a run depends on, as JSON has it.

    Args:
        inputs: The inputs, which are read whole for their checksums.
        nlp: The pipeline. Its checksum is that of the files of its folder.
        options: The values of options, by name; a file has its checksum as its value.
    """
    return {
        "options": {
            name: checksum(value) if isinstance(value, Path) else value
            for name, value in options.items()
        },
        "pipeline": None if nlp.path is None else checksum(nlp.path),
        "inputs": [_describe_input(one) for one in inputs],
        "versions": versions(),
    }


def _describe_input(one: Input) -> dict[str, Any]:
    if isinstance(one, str):
        data = one.encode()
        found = hashlib.sha256(data).hexdigest()
        return {
            "name": "a text", "kind": InputFormat.text.value, "bytes": len(data), "sha256": found
        }  # fmt: skip
    path, kind = one
    return {
        "name": str(path),
        "kind": kind.value,
        "bytes": path.stat().st_size,
        "sha256": checksum(path),
    }
