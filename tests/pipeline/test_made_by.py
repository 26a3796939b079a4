"""Saved pipelines record the version of the package, and errors of loading name it."""

import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
import spacy
import srsly
from packaging.version import Version
from spacy.language import Language

from spacy_structparse.cli.loading import load_pipeline
from spacy_structparse.errors import WeightsError
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


def warned(action: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [str(warning.message) for warning in caught]


def after(release: str, *, minor: int = 0, micro: int = 0) -> str:
    """A later version."""
    parsed = Version(release)
    return f"{parsed.major}.{parsed.minor + minor}.{parsed.micro + micro}"


def with_two_parsers() -> Language:
    nlp = spacy.load(OLD)
    nlp.add_pipe(NAME, name="second", source=spacy.load(OLD))
    return nlp


def test_a_pipeline_of_a_newer_minor_version_is_warned_of_once(tmp_path: Path) -> None:
    newer = after(THIS, minor=1)
    with_two_parsers().to_disk(tmp_path)
    for name in (NAME, "second"):
        cfg = srsly.read_json(tmp_path / name / "cfg")
        srsly.write_json(tmp_path / name / "cfg", {**cfg, RECORD: newer})
    [message] = warned(lambda: spacy.load(tmp_path))
    assert all(part in message for part in (str(tmp_path), newer, THIS))


@pytest.mark.parametrize("maker", [THIS, after(THIS, micro=1), "0.0.1", "no version"])
def test_a_pipeline_of_another_version_is_loaded_without_a_word(tmp_path: Path, maker: str) -> None:
    folder = save(tmp_path / "model", maker)
    assert not warned(lambda: spacy.load(folder))


def spoil_labels(folder: Path) -> None:
    cfg = srsly.read_json(folder / NAME / "cfg")
    srsly.write_json(folder / NAME / "cfg", {**cfg, "labels": [*cfg["labels"], "new"]})


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
    made_by = f"spacy-structparse {maker}" if maker else "an earlier version"
    assert f"made by {made_by}" in str(error.value) and THIS in str(error.value)
    with pytest.raises(WeightsError) as of_command:
        load_pipeline(str(folder))
    assert str(of_command.value).count("made by") == 1


def test_errors_of_this_version_and_of_unread_files_name_none(tmp_path: Path) -> None:
    spacy.load(OLD).to_disk(tmp_path)
    spoil_labels(tmp_path)
    for _ in range(2):
        with pytest.raises(WeightsError) as error:
            load_pipeline(str(tmp_path))
        assert "made by" not in str(error.value)
        (tmp_path / NAME / "cfg").write_text('{"labels": [')
