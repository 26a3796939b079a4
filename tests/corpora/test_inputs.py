import pytest

from spacy_structparse.corpora.input_files import plan_outputs
from spacy_structparse.corpora.options import TreebankPart
from spacy_structparse.errors import ReadError


def write(folder, name):
    path = folder / name
    path.write_text("", encoding="utf-8")
    return path


def test_folders_become_one_output_per_stem(tmp_path):
    for name in ("train.conllu", "train.ptb", "dev.mrg", "notes.txt"):
        write(tmp_path, name)
    out = tmp_path / "out"
    assert plan_outputs([tmp_path], out) == {
        out / "dev.spacy": [TreebankPart(None, tmp_path / "dev.mrg")],
        out / "train.spacy": [TreebankPart(tmp_path / "train.conllu", tmp_path / "train.ptb")],
    }
    with pytest.raises(ReadError, match="is a folder"):
        plan_outputs([tmp_path], tmp_path / "all.spacy")


def test_files_to_one_output_are_joined_by_stem_and_put_one_after_the_other(tmp_path):
    names = ("a.conllu", "a.ptb", "b.conll", "c.ptb", "c.mrg", "d.csv")
    a, a_trees, b, c, c_other, other = (write(tmp_path, name) for name in names)
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


def test_stems_that_collide_are_an_error(tmp_path):
    paths = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder, "train.ptb"))
    with pytest.raises(ReadError, match="would both become"):
        plan_outputs(paths, tmp_path / "out")
