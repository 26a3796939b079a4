"""Where outputs go: devices, pipes, links, modes, writers that die or meet, and what is on the disk
when the power fails."""

import errno
import multiprocessing
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import spacy

from spacy_structparse import files
from spacy_structparse.files import folder_written_whole, write_atomically, written_whole
from spacy_structparse.training.atomic_to_disk import save_atomically
from tests.helpers.killed_workers import write_half, write_often

posix = pytest.mark.skipif(os.name != "posix", reason="modes, pipes and owners are POSIX's")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_folder(path: Path) -> None:
    with folder_written_whole(path) as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "file").write_bytes(b"new")


def write_pipeline(path: Path) -> None:
    save_atomically(spacy.blank("xx"), path)


@posix
def test_pipes_and_devices_are_written_into(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"all of it")
    reader.join()
    assert read == [b"all of it"]
    (tmp_path / "link").symlink_to(os.devnull)
    write_atomically(tmp_path / "link", b"gone")
    assert stat.S_ISFIFO(pipe.stat().st_mode) and stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    assert names(tmp_path) == ["link", "pipe"]
    os.write(1, b"before ")
    write_atomically(Path("/dev/stdout"), b"written")
    os.write(1, b" after")
    assert capfd.readouterr().out == "before written after"


@posix
@pytest.mark.parametrize("there", [True, False])
def test_links_are_followed(tmp_path: Path, there: bool) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "target"
    if there:
        target.write_bytes(b"old")
    (tmp_path / "link").symlink_to("between")
    (tmp_path / "between").symlink_to(target)
    write_atomically(tmp_path / "link", b"new")
    assert target.read_bytes() == b"new" and not target.is_symlink()
    assert names(tmp_path / "real") == ["target"]
    (tmp_path / "empty").mkdir(mode=0o750)
    (tmp_path / "folder").symlink_to("empty")
    write_folder(tmp_path / "folder")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "folder").is_symlink()
    assert (names(tmp_path / "empty"), mode(tmp_path / "empty")) == (["sub"], 0o750)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(OSError, match="circle"):
        write_atomically(tmp_path / "circle", b"")


@posix
def test_modes_and_owners_are_kept_or_those_of_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "out"
    before = os.umask(0o022)
    try:
        for mask in (0o022, 0o077, 0o002):
            os.umask(mask)
            write_atomically(tmp_path / f"file{mask}", b"")
            write_folder(tmp_path / f"folder{mask}")
            assert mode(tmp_path / f"file{mask}") == 0o666 & ~mask
            assert mode(tmp_path / f"folder{mask}") == 0o777 & ~mask
        for kept in (0o600, 0o640, 0o755):
            path.touch()
            path.chmod(kept)
            write_atomically(path, b"new")
            assert (mode(path), path.read_bytes()) == (kept, b"new")
    finally:
        os.umask(before)
    if os.geteuid() == 0:  # who can give files away
        os.chown(path, 1234, 2345)
        path.chmod(0o4750)
        write_atomically(path, b"new")
        assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (1234, 2345, 0o4750)


def test_what_may_not_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, file = tmp_path / "out", tmp_path / "file"
    (tmp_path / "folder").mkdir()
    file.write_text("kept")
    with pytest.raises(IsADirectoryError, match="folder"):
        write_atomically(tmp_path / "folder", b"")
    with pytest.raises(NotADirectoryError, match="file"):
        write_folder(file)
    with pytest.raises(OSError, match="file"):
        write_atomically(file / "below", b"")
    for old in (None, b"old"):
        if old is not None:
            path.write_bytes(old)
        with pytest.raises(ZeroDivisionError), written_whole(path) as output:
            output.write(b"half")
            1 / 0  # noqa: B018
        assert names(tmp_path) == ["file", "folder", *(["out"] if old else [])]
    monkeypatch.setattr(os, "access", lambda path, how: False)  # root may write everywhere
    with pytest.raises(PermissionError, match="out"):
        write_atomically(path, b"new")
    assert (path.read_bytes(), file.read_text()) == (b"old", "kept")


def test_errors_name_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not the temporary name, which a user has never seen."""

    def no_space(path: Path, *args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "open", no_space)
    monkeypatch.setattr(Path, "mkdir", lambda path, **kwargs: kwargs or no_space(path))
    for write in (lambda path: write_atomically(path, b"new"), write_folder):
        with pytest.raises(OSError) as caught:
            write(tmp_path / "out")
        assert caught.value.errno == errno.ENOSPC
        assert caught.value.filename == str(tmp_path / "out")


@pytest.mark.slow
def test_two_processes_and_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "out"
    contents = [letter * 50_000 for letter in (b"a", b"b")]
    write_atomically(path, contents[0])
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_often, args=(path, one)) for one in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert names(tmp_path) == ["out"]


@posix
@pytest.mark.slow
def test_what_a_killed_writer_leaves_is_cleared_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    killed = multiprocessing.get_context("spawn").Process(target=write_half, args=(path,))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(names(tmp_path)) == 3
    for left in tmp_path.glob(".*.structparse"):
        os.utime(left, (0, 0))
    monkeypatch.setattr(files, "_cleared", set())
    with written_whole(tmp_path / "live") as live:
        live.write(b"whole")
        monkeypatch.setattr(files, "_cleared", set())
        write_atomically(path, b"new")
    assert names(tmp_path) == ["live", "out"]


Synced = list[tuple[int, int | None, int]]


@pytest.fixture
def synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Synced]:
    """Every call of fsync: the inode of what is synced, the inode of what is at `out` then, and
    how many names are in the folder around `out`."""
    events: Synced = []
    output = tmp_path / "new" / "out"

    def fsync(descriptor: int) -> None:
        there = output.stat().st_ino if output.exists() else None
        around = len(names(output.parent)) if output.parent.exists() else 0
        events.append((os.fstat(descriptor).st_ino, there, around))

    monkeypatch.setattr(os, "fsync", fsync)
    yield events


@posix
@pytest.mark.parametrize(
    "write", [lambda path: write_atomically(path, b"new"), write_folder, write_pipeline]
)
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


@posix
def test_the_old_pipeline_is_there_until_the_new_one_is_on_the_disk(
    tmp_path: Path, synced: Synced
) -> None:
    output = tmp_path / "new" / "out"
    write_pipeline(output)
    synced.clear()
    write_pipeline(output)
    new, folder = output.stat().st_ino, output.parent.stat().st_ino
    assert next(around for inode, there, around in synced if (inode, there) == (folder, new)) == 2
    assert names(output.parent) == ["out"]


@pytest.mark.parametrize("problem", [errno.EINVAL, errno.EIO])
def test_a_disk_that_fails_is_an_error_and_one_that_cannot_be_synced_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: int
) -> None:
    def fsync(descriptor: int) -> None:
        raise OSError(problem, os.strerror(problem))

    monkeypatch.setattr(os, "fsync", fsync)
    if problem == errno.EINVAL:
        write_atomically(tmp_path / "out", b"new")
    else:
        with pytest.raises(OSError, match=os.strerror(problem)):
            write_atomically(tmp_path / "out", b"new")
    assert names(tmp_path) == (["out"] if problem == errno.EINVAL else [])
