"""A pipeline that is saved is whole, or the one before is there."""

import os
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
from spacy.training import loop
from spacy.util import registry

from spacy_structparse import files
from spacy_structparse.training.atomic_to_disk import (
    create_atomic_to_disk,
    load_whole,
    save_atomically,
)
from tests.helpers.attacks import bounded


def versioned(version):
    nlp = spacy.blank("en")
    nlp.meta["version"] = version
    return nlp


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_replaces_all_of_the_folder(tmp_path):
    target = tmp_path / "sub" / "model-last"
    nlp = versioned("1.0.0")
    nlp.add_pipe("sentencizer")
    save_atomically(nlp, target)
    save_atomically(versioned("2.0.0"), str(target))
    assert names(target.parent) == ["model-last"]
    assert not (target / "sentencizer").exists()
    assert spacy.load(target).meta["version"] == "2.0.0"


def test_error_while_saving_leaves_the_last_pipeline_and_no_litter(tmp_path):
    target = tmp_path / "model-last"
    save_atomically(versioned("1.0.0"), target)
    broken = versioned("2.0.0")
    broken.meta["author"] = object()  # cannot be written as JSON
    with pytest.raises(TypeError):
        save_atomically(broken, target)
    assert names(tmp_path) == ["model-last"]
    assert spacy.load(target).meta["version"] == "1.0.0"


def test_death_between_two_renames_is_repaired_by_the_next_save(tmp_path, monkeypatch):
    target = tmp_path / "model-last"
    save_atomically(versioned("1.0.0"), target)
    rename = Path.rename

    def die_at_the_second(path, other):
        if path.name.endswith(".structparse"):
            raise KeyboardInterrupt
        return rename(path, other)

    monkeypatch.setattr(Path, "rename", die_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        save_atomically(versioned("2.0.0"), target)
    monkeypatch.undo()
    assert names(tmp_path) == ["model-last.previous"]
    assert load_whole(target).meta["version"] == "1.0.0"
    save_atomically(versioned("3.0.0"), target)
    assert names(tmp_path) == ["model-last"]
    assert load_whole(target).meta["version"] == "3.0.0"


def test_a_link_to_the_folder_stays_a_link(tmp_path):
    save_atomically(versioned("1.0.0"), tmp_path / "real")
    (tmp_path / "model-last").symlink_to(tmp_path / "real")
    save_atomically(versioned("2.0.0"), tmp_path / "model-last")
    assert (tmp_path / "model-last").is_symlink()
    assert names(tmp_path) == ["model-last", "real"]
    assert spacy.load(tmp_path / "real").meta["version"] == "2.0.0"


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "model-last").write_text("mine")
    with pytest.raises(NotADirectoryError, match="model-last"):
        save_atomically(versioned("1.0.0"), tmp_path / "model-last")
    assert (tmp_path / "model-last").read_text() == "mine"
    assert names(tmp_path) == ["model-last"]


def test_two_writers_save_one_pipeline(tmp_path):
    target = tmp_path / "model"

    def save_often(version):
        nlp = versioned(version)
        for _ in range(4):
            save_atomically(nlp, target)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(save_often, ("1.0.0", "2.0.0")))
    assert spacy.load(target).meta["version"] in ("1.0.0", "2.0.0")
    assert names(tmp_path) == ["model"]


def test_callback_runs_another_one_first_and_leaves_the_pipeline_alone(tmp_path):
    def rename(nlp):
        nlp.meta["name"] = "renamed"
        return nlp

    callback = registry.callbacks.get("spacy-structparse.atomic_to_disk.v1")
    nlp = versioned("1.0.0")
    saver = callback(rename)(nlp)
    assert type(saver) is type(nlp)
    assert "to_disk" not in vars(nlp)
    saver.to_disk(tmp_path / "model-last", exclude=["vocab"])
    assert spacy.load(tmp_path / "model-last", exclude=["vocab"]).meta["name"] == "renamed"


def train_versions(output: Path, versions: int) -> None:
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
    train_versions(output, 3)
    os._exit(0)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="kills are POSIX's")
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
        train_versions(tmp_path, 3)
    assert versions_in(tmp_path)


def test_the_best_is_on_the_disk_when_the_kept_one_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """spaCy copies it without asking for that: a power cut could take both."""
    on_disk: dict[Path, bool] = {}  # and whether the kept one was there

    def synchronize(path: Path) -> None:
        on_disk[path] = (tmp_path / "model-best.previous").exists()

    monkeypatch.setattr(files, "synchronize", synchronize)
    train_versions(tmp_path, 3)
    best = tmp_path / "model-best"
    assert all(on_disk.get(path) for path in (best, *best.rglob("*")))
