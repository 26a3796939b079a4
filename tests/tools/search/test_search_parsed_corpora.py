"""`search` and `measures` read what `parse-corpus` writes."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import srsly
from spacy.vocab import Vocab

from spacy_structparse.corpora.writers import Format
from tests.helpers.commands import run, said
from tests.helpers.parsed_shards import sample_docs, write_shards
from tests.helpers.paths import SAMPLE


def found(*arguments: Any) -> str:
    return run(*arguments).stdout


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders with the same documents of three sentences in each format."""
    folder = tmp_path_factory.mktemp("shards")
    docs = sample_docs(Vocab(), n_sents=3)
    return {
        style.value: write_shards(folder / style.value, style, docs, per_file=9)
        for style in (Format.conllu, Format.ptb, Format.spacy, Format.parquet)
    }


def matched(output: str) -> list[tuple[str, str]]:
    """The sentence and the match of each line."""
    records = map(json.loads, output.splitlines())
    return [(one["sentence"]["text"], one["match"]["text"]) for one in records]


def test_a_folder_of_each_format_has_the_same_matches(
    shards: dict[str, Path], tmp_path: Path
) -> None:
    def results(*pattern: Any) -> dict[str, list[tuple[str, str]]]:
        return {
            name: matched(found("search", *pattern, folder, "-f", "jsonl"))
            for name, folder in shards.items()
            if name != ("ptb" if "--dep" in pattern else "conllu")
        }

    of_trees = results("NP < /^NN/")
    assert of_trees["parquet"] == of_trees["spacy"] and len(of_trees["ptb"]) > 50
    # Penn brackets do not say which words touch.
    ptb, docs = ([match.replace(" ", "") for _, match in of_trees[n]] for n in ("ptb", "spacy"))
    assert ptb == docs
    pattern = tmp_path / "pattern.json"
    srsly.write_json(pattern, [{"RIGHT_ID": "a", "RIGHT_ATTRS": {"DEP": "nsubj", "POS": "NOUN"}}])
    of_heads = results("--dep", pattern)
    assert len(of_heads["spacy"]) > 10
    assert of_heads["spacy"] == of_heads["parquet"] == of_heads["conllu"]
    measured = [found("measures", shards[name], "--per", "file") for name in ("spacy", "parquet")]
    one, other = ([row.split(",")[3:] for row in table.splitlines()] for table in measured)
    assert one == other and len(one) > 2


def test_damaged_tables_are_named(
    tmp_path: Path, shards: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "damaged.parquet"
    whole = sorted(shards["parquet"].glob("*.parquet"))[0].read_bytes()
    middle = len(whole) // 3
    for data in (b"", b"no table", whole[:-30], whole[:middle] + b"\0" * 64 + whole[middle + 64 :]):
        path.write_bytes(data)
        message = said("search", "NP", path, status=1)
        assert str(path) in message and "not a whole parquet file" in message
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'spacy-structparse[corpus]'" in said("search", "NP", path, status=1)


def test_folders_of_one_kind(tmp_path: Path, shards: dict[str, Path]) -> None:
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for name in ("dev.conllu", "dev.ptb"):
        (mixed / name).write_bytes((SAMPLE / name).read_bytes())
    message = said("search", "NP", mixed, status=1)
    assert "conllu and ptb" in message and "--input-format" in message
    assert found("search", "NP", mixed, "-i", "ptb")
    (mixed / "dev.spacy").write_bytes(next(shards["spacy"].glob("*.spacy")).read_bytes())
    lines = found("search", "NP", mixed).splitlines()
    assert lines and all(line.startswith(str(mixed / "dev.spacy")) for line in lines)
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("A dog barks.\n")
    assert "no files with annotation" in said("search", "NP", texts, status=1)
