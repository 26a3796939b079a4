"""The sample treebank: two layers that agree, rebuilt exactly from the trees."""

import runpy
from pathlib import Path

import pytest

from spacy_structparse.trees import Tree, read_trees, remove_empty
from tests.helpers.paths import ASSETS, SAMPLE

SPLITS = ("train", "dev", "test")

Rows = list[list[str]]


def read_blocks(split: str) -> list[tuple[dict[str, str], Rows]]:
    """Comments and token rows of each sentence."""
    blocks = []
    for block in (SAMPLE / f"{split}.conllu").read_text(encoding="utf8").strip().split("\n\n"):
        lines = block.split("\n")
        comments = dict(line[2:].split(" = ", 1) for line in lines if line.startswith("# "))
        blocks.append((comments, [line.split("\t") for line in lines if line[0] != "#"]))
    return blocks


def read_sample_trees(split: str) -> list[Tree]:
    return list(read_trees(SAMPLE / f"{split}.ptb"))


def heads_of(rows: Rows) -> list[int]:
    return [int(row[6]) for row in rows]


def ancestors(heads: list[int], token: int) -> list[int]:
    """The token and all it depends on, up to the root; cut off where heads run in a circle."""
    chain = []
    while token and token not in chain:
        chain.append(token)
        token = heads[token - 1]
    return chain


@pytest.mark.parametrize(("split", "at_least"), [("train", 320), ("dev", 50), ("test", 50)])
def test_one_tree_a_line_and_as_many_blocks(split: str, at_least: int) -> None:
    lines = (SAMPLE / f"{split}.ptb").read_text(encoding="utf8").splitlines()
    assert len(lines) >= at_least
    assert all(line.startswith("( (") and line.endswith(" )") for line in lines)
    assert len(read_sample_trees(split)) == len(read_blocks(split)) == len(lines)


@pytest.mark.parametrize("split", SPLITS)
def test_layers_have_the_same_tokens_and_tags(split: str) -> None:
    for number, (tree, (comments, rows)) in enumerate(
        zip(read_sample_trees(split), read_blocks(split), strict=True), 1
    ):
        overt = remove_empty(tree)
        assert overt is not None
        assert comments["sent_id"] == f"sample-{split}-{number:04d}"
        assert [row[1] for row in rows] == overt.words()
        assert [row[4] for row in rows] == overt.tags()
        assert [row[0] for row in rows] == [str(i) for i in range(1, len(rows) + 1)]
        spaced = [row[1] + ("" if row[9] == "SpaceAfter=No" else " ") for row in rows]
        assert "".join(spaced).strip() == comments["text"]


@pytest.mark.parametrize("split", SPLITS)
def test_dependencies_are_trees_with_one_root(split: str) -> None:
    for comments, rows in read_blocks(split):
        heads = heads_of(rows)
        assert heads.count(0) == 1, comments["sent_id"]
        root = heads.index(0) + 1
        assert rows[root - 1][7] == "root"
        assert [row[7] for row in rows].count("root") == 1
        for token in range(1, len(heads) + 1):
            assert ancestors(heads, token)[-1] == root, comments["sent_id"]


def test_no_sentence_is_in_two_places() -> None:
    texts = [comments["text"].lower() for split in SPLITS for comments, _ in read_blocks(split)]
    assert len(texts) >= 420
    assert len(set(texts)) == len(texts)


def test_rebuilding_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ASSETS)  # a script finds what lies beside it
    runpy.run_path(str(ASSETS / "derive_dependencies.py"))["main"](tmp_path)
    for split in SPLITS:
        rebuilt = (tmp_path / f"{split}.conllu").read_bytes()
        assert rebuilt == (SAMPLE / f"{split}.conllu").read_bytes(), split
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{s}.conllu" for s in sorted(SPLITS)
    ]
