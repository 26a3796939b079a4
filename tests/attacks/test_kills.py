"""Commands that write over an earlier output, killed before every change of a file and at random
calls: the old output or the new one is there, whole, and the next run leaves nothing else."""

import io
import os
import random
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import spacy
from spacy.training import loop
from spacy.training.initialize import init_nlp
from thinc.api import Config
from typer.testing import CliRunner

from spacy_structparse import files
from spacy_structparse.cli import app
from spacy_structparse.training import atomic_to_disk
from tests.helpers.attacks import FULL, bounded
from tests.helpers.paths import SAVED

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kills are POSIX's"),
    pytest.mark.usefixtures("plain_english"),
]
TEXT = "The dog barks ."
ARCS, OLD_ARCS = SAVED / "spa_vanilla_bilinear", SAVED / "spa_tob_concat"
TREES, OLD_TREES = SAVED / "trees_in_order_datt", SAVED / "trees_top_down_none"
# What a command writes, what was there before, and its arguments.
COMMANDS: dict[str, tuple[str, Path | None, list[str]]] = {
    "convert": ("out.spacy", None, ["text.ptb", "{out}", "-q"]),
    "parse": ("out.conllu", None, [str(ARCS), "text.txt", "-o", "{out}"]),
    "average": ("out", OLD_ARCS, [str(ARCS), str(ARCS), "-o", "{out}"]),
    "ensemble": ("out", OLD_TREES, [str(TREES), str(TREES), "-o", "{out}"]),
}
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.chmod", "shutil.rmtree"}


class Mark(NamedTuple):
    """Something that a process has done, and the numbers of its changes and calls until then."""

    name: str
    changes: int
    calls: int


Write = Callable[[Callable[[str], None]], object]
"""Writes an output; is given a function that makes a mark."""


def run(write: Write, folder: Path, kind: str = "", last: int = -1) -> tuple[bool, list[Mark]]:
    """Write in a process that may be killed. Whether it was, and its marks.

    kind: "changes": before a file of the folder is opened, for writing or to be synchronized, or
    a name changes. "calls": before and after functions, of C too. "count": both, without a kill.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        counts = {"changes": 0, "calls": 0}

        def step(of: str) -> None:
            if of == kind and counts[of] == last:
                os.kill(os.getpid(), signal.SIGKILL)
            counts[of] += 1

        def hook(event: str, args: tuple[Any, ...]) -> None:
            if event in CHANGES or (event == "open" and str(args[0]).startswith(str(folder))):
                step("changes")

        def mark(name: str) -> None:
            os.write(writing, f"{name} {counts['changes']} {counts['calls']}\n".encode())

        try:
            sys.addaudithook(hook)
            if kind != "changes" and kind:
                sys.setprofile(lambda *args: step("calls"))
            write(mark)
            mark("end")
            os._exit(0)
        except BaseException:
            sys.setprofile(None)
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as file:
        lines = [line.split() for line in file]
    status = os.waitpid(process, 0)[1]
    assert os.WIFSIGNALED(status) or status == 0
    return os.WIFSIGNALED(status), [Mark(name, int(a), int(b)) for name, a, b in lines]


def kills(write: Write, folder: Path, old: Path, start: Mark, end: Mark) -> Iterator[list[Mark]]:
    """Put `old` into the folder, write over it and be killed between two marks, again and again.

    Yields the marks. What dead processes leave beside the output stays.
    """
    aimed = range(start.changes, end.changes)
    n_aimed = min(bounded(2, 60), len(aimed))
    n_random = bounded(1, max(20, 60 - n_aimed))
    seeded = random.Random(35)
    plan = [("changes", step) for step in seeded.sample(aimed, n_aimed)]
    calls = range(start.calls, end.calls * 19 // 20)  # not each run makes exactly as many
    plan += [("calls", step) for step in seeded.sample(calls, n_random)]
    for kind, last in plan:
        for path in folder.iterdir():
            if not path.name.endswith(".structparse"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(old, folder, dirs_exist_ok=True)
        killed, marks = run(write, folder, kind, last)
        assert killed, (kind, last)
        yield marks
    print(f"killed before {n_aimed} of {len(aimed)} changes and at {n_random} random calls")


def state_of(path: Path) -> dict[str, bytes]:
    """The content of all files."""
    paths = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in paths}


def check_loads(path: Path) -> None:
    if path.is_dir():
        doc = spacy.load(path)(TEXT)
        assert doc.has_annotation("DEP") or doc.spans["constituency"]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def there(path: Path) -> Path:
    """Between two renames the old folder has another name."""
    return path if path.exists() else path.with_name(f"{path.name}.previous")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder beside some inputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which a kill does not need
    tree = " ".join(f"(X {word})" for word in TEXT.split())
    Path("text.txt").write_text(f"{TEXT}\n" * 5)
    Path("text.ptb").write_text(f"(S {tree})\n" * 5)
    for name in ("folder", "old", "kept"):
        (tmp_path / name).mkdir()
    return tmp_path / "folder"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_old_output_or_the_new(folder: Path, command: str) -> None:
    name, before, args = COMMANDS[command]
    if command == "ensemble" and not FULL:
        pytest.skip("writes its folder as average does; STRUCTPARSE_ATTACKS=full kills it too")

    def write(mark: Callable[[str], None]) -> None:
        line = [command, *(arg.format(out=folder / name) for arg in args)]
        result = CliRunner().invoke(app, line)
        assert result.exit_code == 0, result.output

    output, old = folder / name, folder.with_name("old")
    if before is None:
        (old / name).write_bytes(b"old")
    else:
        shutil.copytree(before, old / name, ignore=shutil.ignore_patterns("expected.json"))
    write(print)  # so that processes that are forked have in memory what this needs
    files._cleared.clear()
    _, marks = run(write, folder, "count")
    states = [state_of(old / name), state_of(output)]
    for _ in kills(write, folder, old, Mark("start", 0, 0), marks[-1]):
        found = there(output)
        assert state_of(found) in states
        check_loads(found)
        if FULL:
            run(write, folder)
            assert (names(folder), state_of(output)) == ([name], states[1])
    run(write, folder)
    assert (names(folder), state_of(output)) == ([name], states[1])


def initialized(corpus: Path) -> spacy.Language:
    config = Config().from_disk(ARCS / "config.cfg", interpolate=False)
    callback = {"@callbacks": "spacy-structparse.atomic_to_disk.v1"}
    config["training"].update(max_steps=1, eval_frequency=1, before_to_disk=callback)
    config["components"]["spa_dep"]["model"]["tok2vec"]["use_vectors"] = False
    for part in ("train", "dev"):
        config["paths"][part] = str(corpus / f"{part}.spacy")
        config["corpora"][part]["limit"] = 10
    return init_nlp(config)


def test_the_last_checkpoint_and_the_best(
    folder: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """spaCy removes what another training run has left when it starts: the kills begin when the
    first checkpoint is there. Every checkpoint is better than the one before."""
    check_loads(ARCS)  # so that processes that are forked have in memory what this needs
    nlp, save = initialized(corpus), atomic_to_disk.save_atomically
    old, kept = folder.with_name("old"), folder.with_name("kept")
    last, best = folder / "model-last", folder / "model-best"

    def write(mark: Callable[[str], None], keep: bool = False) -> None:
        scores = iter(range(99))

        def saved(nlp: spacy.Language, path: Path, **kwargs: Any) -> None:
            mark("begin")
            save(nlp, path, **kwargs)
            mark("saved")
            if keep:
                shutil.copytree(path, kept / str(len(names(kept))))

        monkeypatch.setattr(atomic_to_disk, "save_atomically", saved)
        monkeypatch.setattr(
            loop, "create_evaluation_callback", lambda *args: lambda: (float(next(scores)), {})
        )
        loop.train(nlp, folder, stdout=io.StringIO())

    for path in (last, best):
        shutil.copytree(OLD_ARCS, old / path.name)
    run(lambda mark: write(mark, keep=True), folder)
    states = [state_of(kept / name) for name in names(kept)]
    assert len(states) > 2 and states[0] != states[1]
    _, counted = run(write, folder, "count")
    first = next(mark for mark in counted if mark.name == "saved")
    for marks in kills(write, folder, old, first, counted[-1]):
        n_begun, n_saved = (sum(mark.name == of for mark in marks) for of in ("begin", "saved"))
        found = there(last)
        assert state_of(found) in states[n_saved - 1 : n_saved + 1]
        check_loads(found)
        if n_begun > 1:  # the first model-best is complete
            options = [best, best.with_name("model-best.previous")]
            whole = [path for path in options if state_of(path) in states[n_begun - 2 :]]
            assert whole, (names(folder), marks)
            check_loads(whole[0])
        if FULL:
            run(write, folder)
            assert (names(folder), state_of(last)) == (["model-best", "model-last"], states[-1])
    run(write, folder)
    assert (names(folder), state_of(last)) == (["model-best", "model-last"], states[-1])


def test_killed_while_the_previous_pipeline_is_removed(folder: Path) -> None:
    """Half of it must not stay: no later save could give its name to another pipeline."""

    def write(mark: Callable[[str], None]) -> None:
        atomic_to_disk.save_atomically(nlp, folder / "out")

    nlp = spacy.blank("xx")
    run(write, folder)
    n_changes = run(write, folder, "count")[1][-1].changes
    for step in range(n_changes - 12, n_changes):  # the last ones remove
        assert run(write, folder, "changes", step)[0]
        run(write, folder)
        assert names(folder) == ["out"]
