import pytest

from spacy_structparse.trees import Tree, read_trees, write_trees

TREES = [
    Tree.from_string("( (S (NP-SBJ-1 (-NONE- *)) (VP=2 (VBZ is) (-LRB- -LRB-) (NN [))))"),
    Tree.from_string("(NN é)"),
    Tree("NP", [Tree("NN", word="New York\n(NY)")]),
]


@pytest.mark.parametrize("pretty", [False, True])
def test_what_is_written_is_read_back(tmp_path, pretty):
    path = tmp_path / "t.ptb"
    assert write_trees(iter(TREES * 50), path, pretty=pretty) == 150
    assert list(read_trees(path)) == TREES * 50


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "t.ptb"
    path.write_text("old")

    def failing():
        yield TREES[0]
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write_trees(failing(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
