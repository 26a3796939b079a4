"""Where outputs go: devices, pipes, links, modes, and writers that die or meet."""

import errno
import multiprocessing
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spacy_structparse import files
from spacy_structparse.files import folder_written_whole, write_atomically, written_whole

posix = pytest.mark.skipif(os.name != "posix", reason="modes, pipes and owners are POSIX's")


@pytest.fixture
def umask() -> Iterator[Callable[[int], object]]:
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@posix
def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"all of it")
    reader.join()
    assert read == [b"all of it"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


@posix
def test_a_device_is_written_into(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(os.devnull)
    for path in (Path(os.devnull), link):
        write_atomically(path, b"gone")
        assert stat.S_ISCHR(path.stat().st_mode)
    assert link.is_symlink()


@posix
def test_the_standard_output_by_its_device(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    os.write(1, b"before ")
    write_atomically(Path("/dev/stdout"), b"written")
    os.write(1, b" after")
    assert capfd.readouterr().out == "before written after"


@posix
@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(tmp_path: Path, there: bool) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "target"
    if there:
        target.write_bytes(b"old")
    (tmp_path / "link").symlink_to("between")
    (tmp_path / "between").symlink_to(target)
    write_atomically(tmp_path / "link", b"new")
    assert target.read_bytes() == b"new"
    assert not target.is_symlink()
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["target"]


@posix
def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    with pytest.raises(OSError, match="one"):
        write_atomically(tmp_path / "one", b"")
    assert names(tmp_path) == ["one", "two"]


@posix
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o755])
def test_the_mode_of_a_file_is_kept(
    tmp_path: Path, umask: Callable[[int], object], kept: int
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(kept)
    write_atomically(path, b"new")
    assert (mode(path), path.read_bytes()) == (kept, b"new")


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_and_folder_get_the_mode_of_the_umask(
    tmp_path: Path, umask: Callable[[int], object], mask: int
) -> None:
    umask(mask)
    write_atomically(tmp_path / "file", b"")
    with folder_written_whole(tmp_path / "folder"):
        pass
    assert mode(tmp_path / "file") == 0o666 & ~mask
    assert mode(tmp_path / "folder") == 0o777 & ~mask


@posix
def test_the_owner_of_a_file_is_kept(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    path.chmod(0o4750)
    write_atomically(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (1234, 2345, 0o4750)


@posix
def test_a_file_that_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda path, how: False)  # root may write everywhere
    with pytest.raises(PermissionError, match="out"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"


@posix
def test_an_empty_folder_behind_a_link_is_filled(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o750)
    (tmp_path / "link").symlink_to("real")
    with folder_written_whole(tmp_path / "link") as folder:
        (folder / "inside").write_text("x")
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "real") == ["inside"]
    assert mode(tmp_path / "real") == 0o750
    assert names(tmp_path) == ["link", "real"]


def test_a_folder_is_no_file_and_a_file_no_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    with pytest.raises(IsADirectoryError, match="folder"):
        write_atomically(tmp_path / "folder", b"")
    with (
        pytest.raises(NotADirectoryError, match="file"),
        folder_written_whole(tmp_path / "file") as folder,
    ):
        (folder / "inside").write_text("x")
    with pytest.raises(OSError, match="file"):
        write_atomically(tmp_path / "file" / "below", b"")
    assert (tmp_path / "file").read_text() == "kept"
    assert names(tmp_path) == ["file", "folder"]


def test_the_longest_name(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for old in (None, b"old"):
        if old is not None:
            path.write_bytes(old)
        with pytest.raises(ZeroDivisionError), written_whole(path) as file:
            file.write(b"half")
            1 / 0  # noqa: B018
        assert names(tmp_path) == ([] if old is None else ["out"])
    assert path.read_bytes() == b"old"


def test_two_writers_in_one_process(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with written_whole(path) as one:
        one.write(b"one")
        with written_whole(path) as two:
            two.write(b"two")
        assert path.read_bytes() == b"two"
    assert path.read_bytes() == b"one"
    assert names(tmp_path) == ["out"]


def _write_often(path: Path, content: bytes) -> None:
    for _ in range(20):
        write_atomically(path, content)


def test_two_processes_and_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "out"
    contents = [letter * 50_000 for letter in (b"a", b"b")]
    write_atomically(path, contents[0])
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_often, args=(path, one)) for one in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert names(tmp_path) == ["out"]


def _write_half(path: Path) -> None:
    folder = path.with_name("folder")
    with written_whole(path) as file, folder_written_whole(folder) as inside:
        (inside / "part").write_text("half")
        file.write(b"half")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)


@posix
def test_what_a_killed_writer_leaves_is_cleared_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    killed = multiprocessing.get_context("spawn").Process(target=_write_half, args=(path,))
    killed.start()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(names(tmp_path)) == 3
    foreign = tmp_path / ".another.host-1-0011223344556677.structparse"
    foreign.write_bytes(b"of a writer on another machine")
    monkeypatch.setattr(files, "_cleared", set())
    with written_whole(tmp_path / "live") as live:
        live.write(b"whole")
        monkeypatch.setattr(files, "_cleared", set())
        write_atomically(path, b"new")
    assert names(tmp_path) == [foreign.name, "live", "out"]


def test_errors_name_the_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And not the temporary name, which a user has never seen."""

    def no_space(path: Path, *args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "open", no_space)
    monkeypatch.setattr(Path, "mkdir", lambda path, **kwargs: kwargs or no_space(path))
    for write in (write_atomically, lambda path, data: folder_written_whole(path).__enter__()):
        with pytest.raises(OSError) as caught:
            write(tmp_path / "out", b"new")
        assert caught.value.errno == errno.ENOSPC
        assert caught.value.filename == str(tmp_path / "out")
