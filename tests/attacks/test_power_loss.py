"""What is on the disk when the power fails: the order in which files are synced and moved."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import spacy

from spacy_structparse.files import folder_written_whole, write_atomically
from spacy_structparse.training.atomic_to_disk import save_atomically

pytestmark = pytest.mark.skipif(os.name != "posix", reason="folders are synced on POSIX alone")
Synced = list[tuple[int, int | None, int]]


@pytest.fixture
def synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Synced]:
    """Every call of fsync: the inode of what is synced, the inode of what is at `out` then, and
    how many names are in the folder around `out`."""
    events: Synced = []
    output = tmp_path / "new" / "out"

    def fsync(descriptor: int) -> None:
        there = output.stat().st_ino if output.exists() else None
        names = len(list(output.parent.iterdir())) if output.parent.exists() else 0
        events.append((os.fstat(descriptor).st_ino, there, names))

    monkeypatch.setattr(os, "fsync", fsync)
    yield events


def write_file(path: Path) -> None:
    write_atomically(path, b"content")


def write_folder(path: Path) -> None:
    with folder_written_whole(path) as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "file").write_bytes(b"content")


def write_pipeline(path: Path) -> None:
    save_atomically(spacy.blank("en"), path)


@pytest.mark.parametrize("write", [write_file, write_folder, write_pipeline])
def test_all_is_synced_before_it_is_moved_and_its_folder_after(
    tmp_path: Path, synced: Synced, write: Callable[[Path], None]
) -> None:
    output = tmp_path / "new" / "out"
    write(output)
    new = output.stat().st_ino
    before = {inode for inode, there, _ in synced if there != new}
    after = {inode for inode, there, _ in synced if there == new}
    written = [output, *output.rglob("*")] if output.is_dir() else [output]
    assert {path.stat().st_ino for path in written} <= before
    assert output.parent.stat().st_ino in after
    # The folder was made for the output, and is a name in the one above it.
    assert tmp_path.stat().st_ino in before | after


def test_the_old_pipeline_is_there_until_the_new_one_is_on_the_disk(
    tmp_path: Path, synced: Synced
) -> None:
    output = tmp_path / "new" / "out"
    write_pipeline(output)
    synced.clear()
    write_pipeline(output)
    new, folder = output.stat().st_ino, output.parent.stat().st_ino
    assert next(names for inode, there, names in synced if (inode, there) == (folder, new)) == 2
    assert [path.name for path in output.parent.iterdir()] == ["out"]
