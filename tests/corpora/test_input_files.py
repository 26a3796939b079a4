"""Every command finds the same files in a folder, and treebanks become outputs by their stems."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_structparse.cli.parse_inputs import find_files
from spacy_structparse.corpora.docbins import docbin_files
from spacy_structparse.corpora.input_files import plan_outputs
from spacy_structparse.corpora.options import TreebankPart
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


@pytest.mark.parametrize("name", ["train.conllu", "train.CONLLU", "train.conllu.gz", "a.ptb"])
def test_treebanks_are_no_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    with pytest.raises(ValueError, match="is a treebank"):
        text_files([tmp_path / name])


def made(folder: Path, *names: str) -> list[Path]:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).touch()
    return [folder / name for name in names]


def test_folders_become_one_output_per_stem(tmp_path: Path) -> None:
    made(tmp_path, "train.conllu", "train.ptb", "dev.mrg", "notes.txt", "._a.conllu")
    out = tmp_path / "out"
    assert plan_outputs([tmp_path], out) == {
        out / "dev.spacy": [TreebankPart(None, tmp_path / "dev.mrg")],
        out / "train.spacy": [TreebankPart(tmp_path / "train.conllu", tmp_path / "train.ptb")],
    }
    with pytest.raises(ReadError, match="is a folder"):
        plan_outputs([tmp_path], tmp_path / "all.spacy")
    (tmp_path / "none" / "a.conllu").mkdir(parents=True)
    with pytest.raises(ReadError, match="holds no treebank"):
        plan_outputs([tmp_path / "none"], out)


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.spacy").touch()
    os.mkfifo(tmp_path / "b.spacy")
    assert files_under(tmp_path) == [tmp_path / "a.spacy"]


def test_files_to_one_output_are_joined_by_stem_and_put_one_after_the_other(tmp_path: Path) -> None:
    names = ("a.conllu", "a.ptb", "b.conll", "c.ptb", "c.mrg", "d.csv")
    a, a_trees, b, c, c_other, other = made(tmp_path, *names)
    one = tmp_path / "one.spacy"
    assert plan_outputs([a, b, a_trees], one) == {one: [TreebankPart(a, a_trees), TreebankPart(b)]}
    assert plan_outputs([c, b], one) == {one: [TreebankPart(b, c)]}
    for files, message in [
        ([c, c_other], "same layer"),
        ([other], "not named as a treebank"),
        ([tmp_path / "gone.ptb"], "no file or folder"),
    ]:
        with pytest.raises(ReadError, match=message):
            plan_outputs(files, one)


def test_stems_that_collide_are_an_error(tmp_path: Path) -> None:
    paths = [*made(tmp_path / "one", "train.ptb"), *made(tmp_path / "two", "train.ptb")]
    with pytest.raises(ReadError, match="would both become"):
        plan_outputs(paths, tmp_path / "out")
