"""Commands that write over an earlier output, killed before changes of a file or on a full disk:
the old output or the new one is there, whole, and the next run leaves nothing else."""

import os
import random
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from typer.testing import CliRunner

from spacy_structparse import files
from spacy_structparse.cli import app
from spacy_structparse.training import atomic_to_disk
from tests.helpers.attacks import bounded
from tests.helpers.paths import SAMPLE, SAVED

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kills and limits are POSIX's"),
    pytest.mark.usefixtures("plain_english"),
]
TEXT = "The dog barks ."
ARCS, OLD_ARCS = SAVED / "spa_vanilla_bilinear", SAVED / "spa_tob_concat"
TREES, OLD_TREES = SAVED / "trees_in_order_datt", SAVED / "trees_top_down_none"
# What a command writes, what was there before, and its arguments.
COMMANDS: dict[str, tuple[str, Path | None, list[str]]] = {
    "convert": ("out.spacy", None, [str(SAMPLE / "dev.ptb"), "OUT", "-q"]),
    "average": ("out", OLD_ARCS, [str(ARCS), str(ARCS), "-o", "OUT"]),
    "init-config": ("out.cfg", None, ["spa_dep", "OUT", "-F"]),
    "parse": ("out.conllu", None, [str(ARCS), "text.txt", "-o", "OUT"]),
    "ensemble": ("out", OLD_TREES, [str(TREES), str(TREES), "-o", "OUT"]),
}
KILLED = bounded(["convert", "average"], list(COMMANDS))
ON_A_FULL_DISK = bounded(["convert", "init-config"], list(COMMANDS))
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.chmod", "shutil.rmtree"}


def run(write: Callable[[], object], folder: Path, last: int = -1) -> int | None:
    """Write in a process of its own, which is killed before its change of this number: before a
    name changes, or a file of the folder is opened. The number of changes; None if it is killed."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        count = 0

        def hook(event: str, args: tuple[Any, ...]) -> None:
            nonlocal count
            if event in CHANGES or (event == "open" and str(args[0]).startswith(str(folder))):
                if count == last:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1

        try:
            sys.addaudithook(hook)
            write()
            os.write(writing, str(count).encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as file:
        counted = file.read()
    status = os.waitpid(process, 0)[1]
    assert os.WIFSIGNALED(status) or status == 0
    return None if os.WIFSIGNALED(status) else int(counted)


def state_of(path: Path) -> dict[str, bytes]:
    """The content of all files."""
    paths = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in paths}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder beside an input and a folder for what was there before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which a kill does not need
    monkeypatch.setattr(files, "_cleared", set())
    monkeypatch.setattr(files, "_STALE", -1)  # what is left is removed at once
    Path("text.txt").write_text(f"{TEXT}\n" * 50)
    for name in ("folder", "old"):
        (tmp_path / name).mkdir()
    return tmp_path / "folder"


def writer(command: str, output: Path) -> Callable[[], int]:
    args = [str(output) if arg == "OUT" else arg for arg in COMMANDS[command][2]]

    def write() -> int:
        result = CliRunner().invoke(app, [command, *args])
        unexpected = result.exception is not None and not isinstance(result.exception, SystemExit)
        assert not unexpected, result.exception
        if result.exit_code:
            assert str(output) in "".join(result.output.split())
        return result.exit_code

    return write


@pytest.mark.parametrize("command", KILLED)
def test_the_old_output_or_the_new(folder: Path, command: str) -> None:
    name, before, _ = COMMANDS[command]
    output, old = folder / name, folder.with_name("old")
    if before is None:
        (old / name).write_bytes(b"old")
    else:
        shutil.copytree(before, old / name, ignore=shutil.ignore_patterns("expected.json"))
    write = writer(command, output)
    write()  # so that processes that are forked have in memory what this needs
    files._cleared.clear()
    n_changes = run(write, folder)
    assert n_changes is not None
    states = [state_of(old / name), state_of(output)]
    steps = random.Random(35).sample(range(n_changes), min(bounded(4, 60), n_changes))
    for step in steps:
        for path in folder.iterdir():
            if not path.name.endswith(".structparse"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(old, folder, dirs_exist_ok=True)
        assert run(write, folder, step) is None
        # Between two renames the old folder has another name.
        found = output if output.exists() else output.with_name(f"{name}.previous")
        assert state_of(found) in states, step
        if found.is_dir():
            doc = spacy.load(found)(TEXT)
            assert doc.has_annotation("DEP") or doc.spans["constituency"]
    run(write, folder)
    assert (names(folder), state_of(output)) == ([name], states[1])


def test_killed_while_the_previous_pipeline_is_removed(folder: Path) -> None:
    """Half of it must not stay: no later save could give its name to another pipeline."""
    nlp = spacy.blank("xx")

    def write() -> None:
        atomic_to_disk.save_atomically(nlp, folder / "out")

    run(write, folder)
    n_changes = run(write, folder) or 0
    for step in range(n_changes - 12, n_changes):  # the last ones remove
        assert run(write, folder, step) is None
        run(write, folder)
        assert names(folder) == ["out"]


@pytest.mark.parametrize("command", ON_A_FULL_DISK)
def test_a_full_disk(folder: Path, command: str) -> None:
    output = folder / COMMANDS[command][0]
    write, limits = writer(command, output), resource.getrlimit(resource.RLIMIT_FSIZE)
    for there in (False, True):
        if there:
            assert write() == 0
        before = state_of(folder)
        resource.setrlimit(resource.RLIMIT_FSIZE, (900, limits[1]))
        try:
            assert write() == 1
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert state_of(folder) == before
