"""A pipeline that is saved is whole, or the one before is there."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import spacy
from spacy.util import registry

from spacy_structparse.training.atomic_to_disk import (
    check_replaceable,
    load_whole,
    save_atomically,
)


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
    (tmp_path / "link").symlink_to(target)
    save_atomically(versioned("3.0.0"), tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and names(target.parent) == ["model-last"]
    assert spacy.load(target).meta["version"] == "3.0.0"


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


def test_the_callback_leaves_the_pipeline_alone(tmp_path):
    nlp = versioned("1.0.0")
    saver = registry.callbacks.get("spacy-structparse.atomic_to_disk.v1")()(nlp)
    assert type(saver) is type(nlp)
    assert "to_disk" not in vars(nlp)
    saver.to_disk(tmp_path / "model-last", exclude=["vocab"])
    assert spacy.load(tmp_path / "model-last", exclude=["vocab"]).meta["version"] == "1.0.0"


def test_an_empty_folder_is_replaced_and_a_file_is_not(tmp_path):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "empty").mkdir()
    check_replaceable(tmp_path / "empty")
    with pytest.raises(ValueError, match="is a file"):
        check_replaceable(tmp_path / "file")
    with pytest.raises(OSError):
        save_atomically(versioned("1.0.0"), tmp_path / "file")
    assert names(tmp_path) == ["empty", "file"]
    assert (tmp_path / "file").read_text() == "kept"
