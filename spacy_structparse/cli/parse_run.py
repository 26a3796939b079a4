"""What a run of `spacy structparse parse` is, so that `--resume` goes on with no other one."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from spacy.language import Language

from .parse_formats import Format
from .parse_inputs import Input, InputFormat
from .parse_outputs import STANDARD_OUTPUT

RESUMABLE = (Format.conllu, Format.ptb, Format.json, Format.terminal)
_PACKAGES = ("spacy-structparse", "spacy", "torch")


class ResumeError(ValueError):
    """A run that `--resume` cannot go on with."""


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
        "versions": {name: version(name) for name in _PACKAGES},
    }


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """The first difference between two runs, for a message; None: they are the same."""
    for part in ("options", "versions"):
        for name, value in now[part].items():
            if before[part].get(name) != value:
                return f"{name} was {before[part].get(name)}, and is {value}"
    if before["pipeline"] != now["pipeline"]:
        return "the pipeline is another one, or has changed"
    if len(before["inputs"]) != len(now["inputs"]):
        return f"it had {len(before['inputs'])} inputs, and there are {len(now['inputs'])}"
    for was, is_now in zip(before["inputs"], now["inputs"], strict=True):
        if (was["kind"], was["sha256"]) != (is_now["kind"], is_now["sha256"]):
            return f"{_named(was)} was an input, where {_named(is_now)} is one"
    return None


def checksum(path: Path) -> str:
    """The SHA-256 of a file, or of the names and the content of all files of a folder."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    total = hashlib.sha256()
    for inside in sorted(path.rglob("*")):
        if inside.is_file() and inside.parent.name != "__pycache__":
            total.update(f"{inside.relative_to(path).as_posix()}\0{checksum(inside)}\n".encode())
    return total.hexdigest()


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


def _named(described: Mapping[str, Any]) -> str:
    return f"{described['name']} ({described['kind']}, {described['bytes']} bytes)"
