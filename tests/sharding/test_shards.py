"""Inputs and shards: every document is in one shard, and memory holds none of them."""

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_structparse.corpora.json_lines import RECORD
from spacy_structparse.input_limits import MOST
from spacy_structparse.sharding import storage
from spacy_structparse.sharding.documents import BadDocument, Document, read_shard
from spacy_structparse.sharding.inputs import InputError, Kind, describe, find_inputs
from spacy_structparse.sharding.shards import Shard, from_json, make_shards, to_json

LINES = st.lists(st.sampled_from(["", " ", "\u00a0", "a", "bc", "déf", "\U0001f600 g\u2028h"]))
Ends = Literal["line", "blank-line", "none"]


def read(shards: list[Shard], ends: Ends = "line") -> list[Document | BadDocument]:
    vocab = Vocab()
    return [one for shard in shards for one in read_shard(shard, vocab, ends, "text")]


@pytest.fixture(scope="module")
def text_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines") / "a.txt"


@given(lines=LINES, ends=st.sampled_from(["line", "blank-line"]), size=st.integers(1, 30))
def test_text_in_shards_is_the_text(
    text_file: Path, lines: list[str], ends: Ends, size: int
) -> None:
    text_file.write_bytes("\n".join(lines).encode())
    inputs = find_inputs([str(text_file)], None)
    shards = make_shards(inputs, size, ends, "text")
    whole = make_shards(inputs, 10**9, ends, "text")
    assert read(shards, ends) == read(whole, ends)
    texts = [one.source for one in read(whole, ends) if isinstance(one, Document)]
    if ends == "line":
        assert texts == [line.strip() for line in lines if line.strip()]
    else:
        assert " ".join(map(str, texts)).split() == " ".join(lines).split()
    assert sum(shard.size for shard in shards) == text_file.stat().st_size
    # A shard ends with the first document that fills it.
    assert from_json(json.loads(json.dumps(to_json(shards, inputs))), inputs) == shards


def test_paragraphs(tmp_path: Path) -> None:
    """The id of a document is the byte of its first line."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa b\nc\n\n\nd\xff\n\ne\n")
    inputs = find_inputs([str(path)], None)
    good, bad, last = read(make_shards(inputs, 1, "blank-line", "text"), "blank-line")
    # 3 bytes of a byte-order mark, "a b\nc\n\n\n" (8 bytes), and "d\xff\n\n" (4 bytes).
    assert good == Document(f"{path}:0", "a b c", size=6)
    assert isinstance(bad, BadDocument)
    assert (bad.id, "not UTF-8" in bad.message) == (f"{path}:11", True)
    assert last == Document(f"{path}:15", "e", size=2)
    path.write_text("a\n\nb\n")
    (one,) = read(make_shards(find_inputs([str(path)], None), 1, "none", "text"), "none")
    assert isinstance(one, Document)
    assert one.source == "a b"


def write_rows(path: Path, rows: list[dict[str, object]], per_group: int) -> None:
    table = pyarrow.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, path, row_group_size=per_group)


@pytest.mark.parametrize("per_group", [1, 3, 100])
def test_rows_of_parquet_files(tmp_path: Path, per_group: int) -> None:
    path = tmp_path / "a.parquet"
    rows: list[dict[str, object]] = [
        {"id": n, "text": None if n == 4 else f"t{n}"} for n in range(10)
    ]
    write_rows(path, rows, per_group)
    inputs = find_inputs([str(path)], None)
    shards = make_shards(inputs, inputs[0].size // 4, "line", "text")
    assert len(shards) > 3
    found = read(shards)
    assert [one.id for one in found] == [f"{path}:{n}" for n in range(10)]
    assert isinstance(found[4], BadDocument)
    kept = [one for one in found if isinstance(one, Document)]
    assert [one.source for one in kept] == [f"t{n}" for n in range(10) if n != 4]
    assert json.loads(kept[4].record) == {"id": 5}
    with pytest.raises(InputError, match=r"no column 'body'.*id, text"):
        make_shards(inputs, 100, "line", "body")


def test_records_are_json_whatever_the_input_has(tmp_path: Path) -> None:
    """NaN and infinities, which Python's json and parquet have, are null."""
    lines, table, docs = (tmp_path / f"a.{kind}" for kind in ("jsonl", "parquet", "spacy"))
    lines.write_text('{"text": "a", "x": [NaN, {"y": -Infinity}], "z": 1e999, "NaN": "Infinity"}\n')
    nan, infinite = float("nan"), float("inf")
    write_rows(table, [{"text": "a", "x": [nan, 1.5], "z": infinite}], 1)
    kept = Doc(Vocab(), ["a"], user_data={RECORD: '{"x": NaN}'})
    DocBin(docs=[kept], store_user_data=True).to_disk(docs)
    for path, want in (
        (lines, {"x": [None, {"y": None}], "z": None, "NaN": "Infinity"}),
        (table, {"x": [None, 1.5], "z": None}),
        (docs, {"x": None}),
    ):
        (one,) = read(make_shards(find_inputs([str(path)], None), 100, "line", "text"))
        assert isinstance(one, Document)
        assert json.loads(one.record, parse_constant=pytest.fail) == want


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = ['{"id": "x", "text": "a"}', "", "{", '["text"]', '{"text": "\\ud800"}']
    path.write_bytes("\n".join(lines).encode() + b'\n{"text": "\xff"}\n{"text": "b"}')
    found = read(make_shards(find_inputs([str(path)], None), 10, "line", "text"))
    texts = [one.source for one in found if isinstance(one, Document)]
    assert texts == ["a", "b"]
    assert isinstance(found[0], Document)
    assert json.loads(found[0].record) == {"id": "x"}
    assert len([one for one in found if isinstance(one, BadDocument)]) == 4


@pytest.mark.parametrize(
    ("name", "content", "ends"),
    [
        ("a.txt", "\ufeffone\n\n  two\nthree\n", "line"),
        ("a.text", "one\ntwo\n\nthree", "blank-line"),
        ("a.jsonl", '{"text": "one", "id": 1}\n{\n{"text": "two"}\n', "line"),
    ],
)
def test_packed_files_are_read_as_what_is_packed(
    tmp_path: Path, name: str, content: str, ends: Ends
) -> None:
    """With the same places; they are never cut, and their bytes are those of the packed file."""
    (tmp_path / name).write_text(content, encoding="utf8")
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content.encode()))
    plain, packed = (
        make_shards(find_inputs([str(tmp_path / one)], None), 1, ends, "text")
        for one in (name, f"{name}.gz")
    )
    (shard,) = packed
    assert shard.size == (tmp_path / f"{name}.gz").stat().st_size
    found = read(packed, ends)
    assert sum(one.size for one in found) <= shard.size
    assert [_without_names(one) for one in found] == list(map(_without_names, read(plain, ends)))


def _without_names(one: Document | BadDocument) -> Document | BadDocument:
    place = (one.id or "").rpartition(":")[2]
    if isinstance(one, Document):
        return replace(one, id=place, size=0)
    return replace(one, id=place, size=0, input="")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda packed: packed[:-20], "ended before"),
        (lambda packed: b"no gzip" + packed, "Not a gzipped file"),
        (lambda packed: packed[:-6] + b"\0\0" + packed[-4:], "CRC check failed"),
    ],
)
def test_a_damaged_packed_file(tmp_path: Path, damage: Callable[[bytes], bytes], says: str) -> None:
    lines = "".join(f"line {n * n}\n" for n in range(1000))
    (tmp_path / "a.txt.gz").write_bytes(damage(gzip.compress(lines.encode())))
    (tmp_path / "b.txt").write_text("b")
    *_, bad, good = read(make_shards(find_inputs([str(tmp_path)], None), 9, "line", "text"))
    assert isinstance(bad, BadDocument)
    assert bad.id is None
    assert "cannot be unpacked" in bad.message
    assert says in bad.message
    assert isinstance(good, Document)
    assert good.source == "b"


def test_a_packed_file_that_unpacks_to_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is one line, no more than the bound is in memory."""
    monkeypatch.setenv(MOST, "1000")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"a\n" + b"b" * 10**6))
    first, rest = read(make_shards(find_inputs([str(tmp_path)], None), 9, "line", "text"))
    assert isinstance(first, Document)
    assert isinstance(rest, BadDocument)
    assert "more than 1,000 bytes" in rest.message


@pytest.mark.parametrize("name", ["a.parquet", "a.spacy"])
def test_a_damaged_input_is_an_error_of_its_own(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"none of these")
    (tmp_path / "b.txt").write_text("b")
    found = read(make_shards(find_inputs([str(tmp_path)], None), 100, "line", "text"))
    assert isinstance(found[0], BadDocument)
    assert found[0].id is None
    assert [one.source for one in found if isinstance(one, Document)] == ["b"]


def test_small_files_share_a_shard(tmp_path: Path) -> None:
    for n in range(10):
        (tmp_path / f"{n}.txt").write_text("abc\n")
    (tmp_path / ".hidden.txt").write_text("no")
    (tmp_path / "other").write_text("no")
    inputs = find_inputs([str(tmp_path)], None)
    shards = make_shards(inputs, 12, "line", "text")
    assert [len(shard.pieces) for shard in shards] == [3, 3, 3, 1]
    assert [one.id for one in read(shards)] == [f"{tmp_path}/{n}.txt:0" for n in range(10)]


@pytest.mark.skipif(os.name != "posix", reason="makes links")
def test_links_in_circles_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for name in ("folder/a", "folder/b", "c"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / f"{name[-1]}.txt").write_text("text")
    (folder / "a" / "above").symlink_to(folder)
    (folder / "a" / "to c").symlink_to(tmp_path / "c")
    names = [one.name.removeprefix(f"{folder}/") for one in find_inputs([str(folder)], None)]
    assert names == ["a/a.txt", "a/to c/c.txt", "b/b.txt"]


def test_a_file_is_named_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c").mkdir()
    for name in ("a", "b"):
        (tmp_path / "c" / f"{name}.txt").write_text("text")
    absolute = str(tmp_path / "c" / "a.txt")
    for again in ("c/a.txt", "./c/a.txt", absolute, f"file://{absolute}", "c", "c/../c"):
        with pytest.raises(InputError, match=r"a\.txt is named twice"):
            find_inputs(["c/a.txt", again], None)
    with pytest.raises(InputError, match=r"\./c/a\.txt is named twice: as c/a\.txt, too"):
        find_inputs(["c/a.txt", "./c/a.txt"], None)
    assert len(find_inputs(["c/a.txt", "./c/b.txt"], None)) == 2


@pytest.mark.skipif(os.name != "posix", reason="makes links")
def test_links_to_a_file_are_that_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("text")
    for link, target in (("file.txt", "in/a.txt"), ("folder", "in"), ("in/b.txt", "in/a.txt")):
        (tmp_path / link).symlink_to(tmp_path / target)
    for sources in (["in/a.txt", "file.txt"], ["in/a.txt", "folder/a.txt"], ["in"]):
        with pytest.raises(InputError, match="is named twice"):
            find_inputs([str(tmp_path / source) for source in sources], None)
    assert len(find_inputs([str(tmp_path / "file.txt")], None)) == 1


def link_to_fifo(folder: Path) -> str:
    import os

    os.mkfifo(folder / "a.txt")
    return str(folder / "a.txt")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: str(folder / "none.txt"), "does not exist"),
        (lambda folder: str(folder), "no files of a known kind"),
        (lambda folder: str((folder / "a.csv").write_text("a") and folder / "a.csv"), "suffix"),
        (link_to_fifo, "no plain file"),
    ],
)
def test_inputs_that_do_not_do(tmp_path: Path, make: Callable[[Path], str], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        find_inputs([make(tmp_path)], None)


def test_checksums_of_known_files_are_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("a")
    inputs = find_inputs([str(tmp_path)], Kind.text)
    before = describe(inputs)
    # echo -n a | sha256sum
    assert before[0]["sha256"].startswith("ca978112ca1bbdca")
    monkeypatch.setattr(storage, "checksum", lambda path: "read")
    assert describe(inputs, before) == before
    (tmp_path / "a.txt").write_text("ab")
    assert describe(find_inputs([str(tmp_path)], None), before)[0]["sha256"] == "read"
