"""The sample treebank: two layers that agree, rebuilt exactly from the trees."""

import runpy
from pathlib import Path

import pytest

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
