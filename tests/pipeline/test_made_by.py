"""Saved pipelines record the version of the package, and errors of loading name it."""

from importlib.metadata import version
from pathlib import Path

import pytest
import spacy
import srsly

from spacy_structparse.cli.loading import LoadingError, load_pipeline
from spacy_structparse.pipeline.loading import RECORD
from tests.helpers.paths import SAVED

NAME = "spa_dep"
OLD = SAVED / "spa_bot_biaffine"
THIS = version("spacy-structparse")
OTHER = "99.1.0rc1"


def save(folder: Path, maker: str | None) -> Path:
    """A pipeline that a version saved; None: one that recorded nothing."""
    spacy.load(OLD).to_disk(folder)
    cfg = srsly.read_json(folder / NAME / "cfg")
    del cfg[RECORD]
    srsly.write_json(folder / NAME / "cfg", cfg if maker is None else {**cfg, RECORD: maker})
    return folder


def spoil_labels(folder: Path) -> None:
    cfg = srsly.read_json(folder / NAME / "cfg")
    srsly.write_json(folder / NAME / "cfg", {**cfg, "labels": [*cfg["labels"], "new"]})


def note(maker: str | None) -> str:
    if maker is None:
        return (
            f"made by an earlier version of spacy-structparse, this is {THIS}: install that "
            "version or train again"
        )
    return f"made by spacy-structparse {maker}, this is {THIS}: install {maker} or train again"


def test_the_version_is_saved_and_old_pipelines_load(tmp_path: Path) -> None:
    nlp = spacy.load(OLD)
    parser = nlp.get_pipe(NAME)
    assert RECORD not in srsly.read_json(OLD / NAME / "cfg")
    nlp.to_disk(tmp_path)
    assert srsly.read_json(tmp_path / NAME / "cfg")[RECORD] == THIS
    stored = srsly.json_loads(srsly.msgpack_loads(parser.to_bytes())["cfg"])
    assert stored[RECORD] == THIS
    assert spacy.load(tmp_path).get_pipe(NAME).labels == parser.labels


@pytest.mark.parametrize("maker", [OTHER, None])
def test_errors_name_the_version(tmp_path: Path, maker: str | None) -> None:
    folder = save(tmp_path / "model", maker)
    spacy.load(folder)
    spoil_labels(folder)
    with pytest.raises(ValueError, match=r"\[spa_dep\].*differing: new") as error:
        spacy.load(folder)
    assert str(error.value).endswith(note(maker))
    with pytest.raises(LoadingError) as of_command:
        load_pipeline(str(folder))
    assert str(of_command.value).count("made by") == 1


def test_errors_of_bytes_name_the_version(tmp_path: Path) -> None:
    folder = save(tmp_path / "model", OTHER)
    spoil_labels(folder)
    parts = {part: (folder / NAME / part).read_bytes() for part in ("cfg", "model")}
    parser = spacy.load(OLD).get_pipe(NAME)
    with pytest.raises(ValueError, match=r"cannot be loaded from bytes") as error:
        parser.from_bytes(srsly.msgpack_dumps(parts))
    assert str(error.value).endswith(note(OTHER))


def test_errors_of_this_version_and_of_unread_files_name_none(tmp_path: Path) -> None:
    spacy.load(OLD).to_disk(tmp_path)
    spoil_labels(tmp_path)
    for _ in range(2):
        with pytest.raises(LoadingError) as error:
            load_pipeline(str(tmp_path))
        assert "made by" not in str(error.value)
        (tmp_path / NAME / "cfg").write_text('{"labels": [')
