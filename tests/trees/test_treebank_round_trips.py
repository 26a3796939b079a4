"""Files to Docs to files, over the treebanks. Every twentieth tree."""

from itertools import islice

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.trees import (
    get_tree,
    read_trees,
    remove_empty,
    set_trees,
    unwrap,
    write_trees,
)

FILES = [f"{name}/{part}.ptb" for name in ("craft", "gum") for part in ("train", "dev", "test")]


@pytest.fixture(scope="module", params=FILES)
def sample(request, treebanks):
    path = treebanks / request.param
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return list(islice(read_trees(path), 0, None, 20))


@pytest.mark.parametrize("pretty", [False, True])
def test_files_keep_traces_and_function_tags(sample, tmp_path, pretty):
    write_trees(sample, tmp_path / "t.ptb", pretty=pretty)
    assert list(read_trees(tmp_path / "t.ptb")) == sample


def test_trees_come_back_from_a_docbin(sample, tmp_path):
    vocab = Vocab()
    expected = [unwrap(tree) for tree in map(remove_empty, sample) if tree is not None]
    docs = DocBin()
    for tree in expected:
        doc = Doc(vocab, words=tree.words(), tags=tree.tags())
        set_trees(doc, [tree])
        docs.add(doc)
    loaded = DocBin().from_bytes(docs.to_bytes()).get_docs(Vocab())
    write_trees((get_tree(doc[:]) for doc in loaded), tmp_path / "t.ptb")
    assert list(read_trees(tmp_path / "t.ptb")) == expected
