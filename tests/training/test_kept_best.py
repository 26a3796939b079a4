"""A training run that dies while spaCy replaces ``model-best`` loses no best pipeline."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
from spacy.training import loop

from spacy_structparse import files
from spacy_structparse.training.atomic_to_disk import create_atomic_to_disk
from tests.helpers.attacks import bounded

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills are POSIX's")


def train(output: Path, versions: int) -> None:
    """What spaCy's training loop does with its output, each version better than the last."""
    before_to_disk = create_atomic_to_disk()
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")

    def save_checkpoint(is_best: bool) -> None:
        before_to_disk(nlp).to_disk(output / "model-last")
        if is_best:
            if (output / "model-best").exists():
                loop.shutil.rmtree(output / "model-best")
            loop.shutil.copytree(output / "model-last", output / "model-best")

    try:
        for version in range(versions):
            nlp.meta["version"] = f"{version}.0.0"
            nlp.meta["performance"] = {"score": float(version)}
            save_checkpoint(True)
    finally:
        save_checkpoint(False)


def versions_in(output: Path) -> set[str]:
    """Of the best pipelines that load."""
    found = set()
    for name in ("model-best", "model-best.previous"):
        try:
            found.add(spacy.load(output / name).meta["version"])
        except (OSError, ValueError):
            continue
    return found


def dies(step: int, die: Callable[[], Any]) -> Any:
    """A ``shutil`` for spaCy's loop that dies before its ``step``-th change of a file."""
    count = iter(range(step))

    def change(act: Callable[..., Any], *args: Any) -> Any:
        if next(count, None) is None:
            die()
        return act(*args)

    def rmtree(folder: Path) -> None:
        for path in sorted(folder.rglob("*"), reverse=True):
            change(path.rmdir if path.is_dir() else path.unlink)
        change(folder.rmdir)

    def copytree(source: Path, target: Path) -> None:
        shutil.copytree(source, target, copy_function=lambda a, b: change(shutil.copy2, a, b))

    return SimpleNamespace(rmtree=rmtree, copytree=copytree)


def killed(step: int, output: Path) -> bool:
    process = os.fork()
    if process:
        return os.WIFSIGNALED(os.waitpid(process, 0)[1])
    loop.shutil = dies(step, lambda: os.kill(os.getpid(), signal.SIGKILL))
    train(output, 3)
    os._exit(0)


def test_killed_at_every_step_of_replacing(tmp_path: Path) -> None:
    step = 0
    was_there = False
    while killed(step, tmp_path / str(step)):
        found = versions_in(tmp_path / str(step))
        was_there = was_there or bool(found)
        assert found or not was_there, step
        # The new best is whole under the other name.
        assert spacy.load(tmp_path / str(step) / "model-last").meta["version"]
        step += bounded(5, 1)
    assert step > 20
    assert was_there
    assert sorted(path.name for path in (tmp_path / str(step)).iterdir()) == [
        "model-best",
        "model-last",
    ]
    assert versions_in(tmp_path / str(step)) == {"2.0.0"}


@pytest.mark.parametrize("step", [12, 25, 30])
def test_a_copy_that_fails_keeps_the_previous_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """spaCy saves once more after an error: that must not remove the kept one."""

    def full() -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(loop, "shutil", dies(step, full))
    with pytest.raises(OSError, match="No space"):
        train(tmp_path, 3)
    assert versions_in(tmp_path)


def test_the_best_is_on_the_disk_when_the_kept_one_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """spaCy copies it without asking for that: a power cut could take both."""
    on_disk: dict[Path, bool] = {}  # and whether the kept one was there

    def synchronize(path: Path) -> None:
        on_disk[path] = (tmp_path / "model-best.previous").exists()

    monkeypatch.setattr(files, "synchronize", synchronize)
    train(tmp_path, 3)
    best = tmp_path / "model-best"
    assert all(on_disk.get(path) for path in (best, *best.rglob("*")))
