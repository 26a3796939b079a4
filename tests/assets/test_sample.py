"""The sample treebank: two layers that agree, rebuilt exactly from the trees."""

import runpy
from pathlib import Path

import pytest

from tests.helpers.paths import ASSETS, SAMPLE

SPLITS = ("train", "dev", "test")


def test_rebuilding_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ASSETS)  # a script finds what lies beside it
    runpy.run_path(str(ASSETS / "derive_dependencies.py"))["main"](tmp_path)
    for split in SPLITS:
        rebuilt = (tmp_path / f"{split}.conllu").read_bytes()
        assert rebuilt == (SAMPLE / f"{split}.conllu").read_bytes(), split
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{s}.conllu" for s in sorted(SPLITS)
    ]
