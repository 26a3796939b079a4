"""`search` and `measures` read what `parse-corpus` writes."""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet as pq
import pytest
import spacy
import srsly
from click.testing import Result
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.corpora.document_ids import DOCUMENT, RECORD
from spacy_structparse.corpora.readers import read_docs
from spacy_structparse.corpora.report import ConversionReport
from spacy_structparse.corpora.writers import Format
from spacy_structparse.trees import sentence_trees
from tests.helpers.parsed_shards import sample_docs, write_shards
from tests.helpers.paths import SAMPLE


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def found(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: Any) -> str:
    result = run(*arguments)
    assert result.exit_code == 1, (result.output, result.exception)
    return " ".join(result.output.split())


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders with the same documents of three sentences in each format."""
    folder = tmp_path_factory.mktemp("shards")
    docs = sample_docs(Vocab(), n_sents=3)
    return {
        style.value: write_shards(folder / style.value, style, docs, per_file=9)
        for style in (Format.conllu, Format.ptb, Format.spacy, Format.parquet)
    }


@pytest.fixture
def table(tmp_path: Path, shards: dict[str, Path]) -> Callable[[Callable[..., Any]], Path]:
    """Writes the rows of a part again, changed."""

    def write(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
        source = sorted(shards["parquet"].glob("*.parquet"))[0]
        rows = change(pq.read_table(source).to_pylist())
        path = tmp_path / "changed.parquet"
        pq.write_table(pyarrow.Table.from_pylist(rows), path)
        return path

    return write


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


def test_documents_of_a_table_are_those_that_were_written(shards: dict[str, Path]) -> None:
    nlp = spacy.blank("en")
    docs = sample_docs(nlp.vocab, n_sents=3)
    report = ConversionReport()
    read = [
        one.source
        for path in sorted(shards["parquet"].glob("*.parquet"))
        for one in read_docs(path, nlp, report)
    ]
    assert not report.problems
    assert len(read) == len(docs)
    for doc, want in zip(read, docs, strict=True):
        assert [str(one) for one in sentence_trees(doc)] == [
            str(one) for one in sentence_trees(want)
        ]
        for name in ("text", "tag_", "pos_", "dep_", "whitespace_", "is_sent_start"):
            values = [getattr(token, name) for token in doc][:-1]
            assert values == [getattr(token, name) for token in want][:-1], name
        assert [token.head.i for token in doc] == [token.head.i for token in want]
    assert read[0].user_data[DOCUMENT] == "in.txt:0:0"


def test_compressed_texts_are_parsed(tmp_path: Path) -> None:
    """The name need not say it, and `cat` of two compressed files is a compressed file."""
    packed, misnamed = tmp_path / "dev.ptb.gz", tmp_path / "dev.ptb"
    lines = (SAMPLE / "dev.ptb").read_bytes().splitlines(keepends=True)
    for path in (packed, misnamed):
        path.write_bytes(b"".join(gzip.compress(b"".join(some)) for some in (lines[:9], lines[9:])))
    plain = matched(found("search", "PP", SAMPLE / "dev.ptb", "-f", "jsonl"))
    assert matched(found("search", "PP", packed, "-f", "jsonl")) == plain
    assert matched(found("search", "PP", misnamed, "-f", "jsonl")) == plain


@pytest.mark.parametrize("name", ["trees.ptb.gz", "sentences.conllu.gz"])
def test_damaged_packed_files_are_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    output = tmp_path / "out.csv"
    output.write_text("mine")
    whole = gzip.compress((SAMPLE / f"dev.{name.split('.')[1]}").read_bytes())
    flipped = whole[:-6] + bytes([whole[-6] ^ 255]) + whole[-5:]
    for data, problem in (
        (whole[:-100], "cut off"),
        (flipped, "CRC check failed"),
        (whole + b"more", "damaged"),
        (b"", "gzip has not compressed it"),
    ):
        path.write_bytes(data)
        message = refused("search", "NP", path, "-o", output)
        assert str(path) in message and problem in message
        assert output.read_text() == "mine"
    path.write_bytes(whole[:-100])
    assert str(path) in refused("measures", path)


def test_a_bomb_is_no_treebank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRUCTPARSE_MAX_UNPACKED", "1000")
    path = tmp_path / "trees.ptb.gz"
    path.write_bytes(gzip.compress(b"(S (NP (NN a)))\n" * 100))
    assert "unpacks to more than 1,000 bytes" in refused("search", "NP", path)


def test_damaged_tables_are_named(
    tmp_path: Path, shards: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "damaged.parquet"
    whole = sorted(shards["parquet"].glob("*.parquet"))[0].read_bytes()
    middle = len(whole) // 3
    for data in (b"", b"no table", whole[:-30], whole[:middle] + b"\0" * 64 + whole[middle + 64 :]):
        path.write_bytes(data)
        message = refused("search", "NP", path)
        assert str(path) in message and "not a whole parquet file" in message
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'spacy-structparse[corpus]'" in refused("search", "NP", path)


Rowlist = list[dict[str, Any]]


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("words", [], "'words' is no list of words"),
        ("tags", ["NN"], "'tags' is not a value for each"),
        ("heads", [0], "'heads' is not a value for each"),
        ("heads", [99] * 4, "'heads' is not"),
        ("tree", "(S (NN", "not closed"),
        ("tree", "(S (NN other))", "other"),
    ],
)
def test_rows_that_do_not_fit_are_named(
    table: Callable[..., Path], key: str, value: Any, problem: str
) -> None:
    def change(rows: Rowlist) -> Rowlist:
        rows[4][key] = value
        return rows

    message = refused("search", "NP", table(change))
    assert "changed.parquet, row " in message and problem in message


def test_heads_that_are_no_tree_are_left_out(table: Callable[..., Path]) -> None:
    def change(rows: Rowlist) -> Rowlist:
        rows[4]["heads"] = list(range(len(rows[4]["words"])))
        return rows

    path = table(change)
    assert len(found("search", "ROOT", path).splitlines()) == len(pq.read_table(path))
    report = ConversionReport()
    docs = [one.source for one in read_docs(path, spacy.blank("en"), report)]
    assert [str(one).partition(":4: ")[2].partition(":")[0] for one in report.problems] == [
        "dependencies left out"
    ]
    assert [doc.has_annotation("DEP") for doc in docs[:2]] == [True, False]


def test_other_columns(table: Callable[..., Path], tmp_path: Path) -> None:
    def meta(rows: Rowlist) -> Rowlist:
        kept = ("document", "sentence", "text", "words", "tree")
        return [{**{key: row[key] for key in kept}, "meta": '{"genre": "news"}'} for row in rows]

    path = table(meta)
    docs = [one.source for one in read_docs(path, spacy.blank("en"), ConversionReport())]
    assert [doc.user_data[RECORD] for doc in docs[:1]] == ['{"genre": "news"}']
    assert found("search", "NP", path)
    texts = tmp_path / "texts.parquet"
    pq.write_table(pyarrow.table({"text": ["A dog barks."]}), texts)
    message = refused("search", "NP", texts)
    assert f"{texts} has texts and no parses" in message


def test_folders_of_one_kind(tmp_path: Path, shards: dict[str, Path]) -> None:
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for name in ("dev.conllu", "dev.ptb"):
        (mixed / name).write_bytes((SAMPLE / name).read_bytes())
    message = refused("search", "NP", mixed)
    assert "conllu and ptb" in message and "--input-format" in message
    assert found("search", "NP", mixed, "-i", "ptb")
    (mixed / "dev.spacy").write_bytes(next(shards["spacy"].glob("*.spacy")).read_bytes())
    lines = found("search", "NP", mixed).splitlines()
    assert lines and all(line.startswith(str(mixed / "dev.spacy")) for line in lines)
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("A dog barks.\n")
    assert "no files with annotation" in refused("search", "NP", texts)
