"""Pipes and devices in the place of pipelines and their files, which could be read for ever."""

import os
import shutil
from pathlib import Path

import pytest
import spacy

from spacy_structparse.cli.loading import LoadingError, load_pipeline
from spacy_structparse.input_limits import NotPlainError
from spacy_structparse.training.continue_from import create_continue_from
from tests.helpers.paths import ROOT

SAVED = ROOT / "tests" / "saved" / "data" / "spa_bot_biaffine"

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="makes named pipes")


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    shutil.copytree(SAVED, tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("name", ["meta.json", "config.cfg", "vocab/strings.json", "extra"])
def test_a_pipe_in_a_pipeline(pipeline: Path, name: str) -> None:
    (pipeline / name).unlink(missing_ok=True)
    os.mkfifo(pipeline / name)
    with pytest.raises(LoadingError, match="is no plain file"):
        load_pipeline(str(pipeline))
    with pytest.raises(NotPlainError, match="is no plain file"):
        create_continue_from(pipeline)(spacy.blank("en"))


def test_a_device_in_a_component(pipeline: Path) -> None:
    """spaCy loads this one, and each component its own folder."""
    name = spacy.load(pipeline).pipe_names[-1]
    (pipeline / name / "model").unlink()
    (pipeline / name / "model").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="is no plain file"):
        spacy.load(pipeline)


def test_a_device_as_a_pipeline(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in ("/dev/zero", str(tmp_path / "fifo")):
        with pytest.raises(LoadingError, match="is no plain file"):
            load_pipeline(path)
