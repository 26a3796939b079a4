"""The files that a command wrote into a folder, told from the user's own by their checksums."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from ..files import write_atomically

LIST = ".prepared.json"


class ForeignFileError(ValueError):
    """A file that would be replaced or removed, and that the command did not write."""


def replace_files(
    folder: Path, files: Mapping[str, bytes], old: list[Path], *, writer: str, force: bool
) -> None:
    """Write files into a folder, and remove old ones that are not among them.

    Args:
        folder: The folder.
        files: The content of each file, by name.
        old: Files of the folder that must not stay beside the new ones.
        writer: The command's name in errors.
        force: Replace and remove files that were not written by this function, too.

    Raises:
        ForeignFileError: There is such a file, without `force`. Nothing was changed.
        OSError: A file cannot be read or written.
    """
    written = _written(folder / LIST)
    there = {path for path in (*old, *(folder / name for name in files)) if path.exists()}
    foreign = [
        path.name
        for path in sorted(there)
        if (found := _checksum(path.read_bytes())) != written.get(path.name)
        and found != _checksum(files.get(path.name, b""))
    ]
    if foreign and not force:
        raise ForeignFileError(
            f"{folder} has {', '.join(foreign)}, which {writer} did not write, or which was "
            "changed since. Move it, name another folder, or replace it with --force"
        )
    # Listed first: whatever ends this, a file that was written can be replaced later.
    now = {name: _checksum(data) for name, data in files.items()}
    write_atomically(folder / LIST, json.dumps(now, indent=1).encode())
    for path in there:
        if path.name not in files:
            path.unlink()
    for name, data in files.items():
        write_atomically(folder / name, data)


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _written(path: Path) -> dict[str, str]:
    """The checksums of the files of an earlier call. A damaged list knows of none."""
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
