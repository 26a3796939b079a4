"""Every command finds the same files in a folder."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_structparse.cli.parse_inputs import find_files
from spacy_structparse.corpora.docbins import docbin_files
from spacy_structparse.corpora.input_files import plan_outputs
from spacy_structparse.corpora.readers import InputFormat
from spacy_structparse.errors import ReadError
from spacy_structparse.input_limits import files_under
from spacy_structparse.training.word_vectors import text_files


def searched(folder: Path) -> list[Path]:
    return [file for file, _ in find_files([folder], None)]


def searched_by_kind(folder: Path) -> list[Path]:
    return [file for file, _ in find_files([folder], InputFormat.spacy)]


def for_vectors(folder: Path) -> list[Path]:
    return text_files([folder])


@pytest.mark.parametrize(
    "find", [files_under, docbin_files, searched, searched_by_kind, for_vectors]
)
def test_hidden_files_are_left_out_and_links_followed(
    tmp_path: Path, find: Callable[[Path], list[Path]]
) -> None:
    folder, elsewhere = tmp_path / ".corpus", tmp_path / "elsewhere"
    for path in (folder / "b", folder / ".ipynb_checkpoints", elsewhere):
        path.mkdir(parents=True)
        (path / "a.spacy").touch()
        (path / "._a.spacy").touch()
    (folder / "c").symlink_to(elsewhere, target_is_directory=True)
    (folder / "c" / "above").symlink_to(folder, target_is_directory=True)
    (folder / "moved.spacy").symlink_to(tmp_path / "gone.spacy")
    names = ["b/a.spacy", "c/a.spacy", "moved.spacy"]
    assert [str(path.relative_to(folder)) for path in find(folder)] == names


def test_hidden_treebanks_are_not_converted(tmp_path: Path) -> None:
    for name in ("a.conllu", "._a.conllu"):
        (tmp_path / name).touch()
    assert [path.name for path in plan_outputs([tmp_path], tmp_path / "out")] == ["a.spacy"]


@pytest.mark.parametrize("name", ["train.conllu", "train.CONLLU", "train.conllu.gz", "a.ptb"])
def test_treebanks_are_no_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match="is a treebank"):
        text_files([tmp_path / name])


def test_a_folder_without_treebanks_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    (tmp_path / "a.conllu").mkdir()
    with pytest.raises(ReadError, match="holds no treebank"):
        plan_outputs([tmp_path], tmp_path / "out")


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.spacy").touch()
    os.mkfifo(tmp_path / "b.spacy")
    assert files_under(tmp_path) == [tmp_path / "a.spacy"]
