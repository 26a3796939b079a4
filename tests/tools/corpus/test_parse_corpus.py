"""`spacy structparse parse-corpus`: what is missing is parsed, and nothing else is lost."""

import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow.parquet
import pytest
import spacy
from spacy.tokens import Doc

from spacy_structparse.corpora import memory_zone
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.corpora.document_ids import DOCUMENT, record_of
from spacy_structparse.tools.corpus import parsing
from spacy_structparse.tools.corpus.inputs import find_corpus
from spacy_structparse.tools.corpus.parsing import FileParser
from spacy_structparse.trees import sentence_trees
from tests.tools.corpus.conftest import TEXTS, outputs, run, text_file, write_input

pytestmark = pytest.mark.usefixtures("plain_english")


def errors(output: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (output / "errors.jsonl").read_text().splitlines()]


def docs_of(model: Path, *files: Path) -> list[Doc]:
    vocab = spacy.load(model).vocab
    return [doc for path in files for doc in read_docs(path, vocab)]


def comparable(model: Path, path: Path) -> list[Any]:
    """The content of an output, without the ids of documents, which `parse` does not give."""
    if path.suffix == ".parquet":
        rows = pyarrow.parquet.read_table(path).to_pylist()
        return [{**row, "document": None} for row in rows]
    if path.suffix == ".spacy":
        return [
            (doc.to_json(), record_of(doc), sentence_trees(doc)) for doc in docs_of(model, path)
        ]
    data = path.read_bytes()
    lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
    return [line for line in lines if not line.startswith("# newdoc")]


@pytest.mark.parametrize(
    ("kind", "style"),
    [
        (".txt", "parquet"),
        (".txt.gz", "conllu"),
        (".jsonl", "spacy"),
        (".jsonl.gz", "parquet"),
        (".words", "ptb"),
        (".conllu", "parquet"),
        (".conllu.gz", "conllu"),
        (".ptb", "spacy"),
        (".spacy", "ptb"),
        (".spacy", "conllu"),
        (".parquet", "spacy"),
    ],
)
def test_parses_are_those_of_parse(
    model: Path, code: Path, tmp_path: Path, kind: str, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in small batches whose words are forgotten."""
    source = write_input(tmp_path / f"in{kind}")
    want = tmp_path / f"want.{style}"
    run("parse", model, source, "-o", want, "-f", style)
    monkeypatch.setattr(memory_zone, "KEPT_WORDS", 0)
    batches = memory_zone.text_batches
    monkeypatch.setattr(
        parsing, "text_batches", lambda docs, size, length: batches(docs, 3, length)
    )
    run("parse-corpus", model, source, tmp_path / "out", "-f", style)
    (found,) = (tmp_path / "out").glob(f"in{kind}.{style}*")
    assert comparable(model, found) == comparable(model, want)


def test_files_have_ids_and_columns(model: Path, corpus: Path, tmp_path: Path) -> None:
    run("parse-corpus", model, corpus, tmp_path / "out", "--confidence")
    table = pyarrow.parquet.read_table(tmp_path / "out" / "b" / "a.txt.parquet")
    assert table["document"].to_pylist() == [f"b/a.txt:{n}" for n in (1, 2, 3, 4)]
    assert None not in table["parse_confidence"].to_pylist()
    run("parse-corpus", model, corpus / "c.txt", tmp_path / "docs", "-f", "spacy")
    docs = docs_of(model, tmp_path / "docs" / "c.txt.spacy")
    assert [doc.user_data[DOCUMENT] for doc in docs] == [f"c.txt:{n}" for n in (1, 2, 3, 4)]
    for folder in ("out", "docs"):
        found = run("measures", tmp_path / folder)
        assert "c.txt:4" in found
        assert "errors.jsonl" not in found


def test_inputs_are_files_folders_and_patterns(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def names(*sources: object) -> list[str]:
        return [file.name for file in find_corpus(map(str, sources), None, str(corpus / "out"))]

    (corpus / ".hidden").mkdir()
    (corpus / "out").mkdir()
    for other in (".hidden/a.txt", "out/a.txt", "notes.md"):
        (corpus / other).write_text("x")
    assert names(corpus) == ["a.txt", "b/a.txt", "c.txt"]
    assert names(corpus / "a.txt", corpus / "b" / "a.txt", corpus) == names(corpus)
    assert names(corpus / "*.txt") == ["a.txt", "c.txt"]
    assert names(corpus / "b") == ["a.txt"]
    monkeypatch.chdir(corpus)
    assert names("b/a.txt", "a.txt") == ["b/a.txt", "a.txt"]
    os.mkfifo(corpus / "pipe.txt")
    for wrong, message in (
        (corpus / "no.txt", "does not exist"),
        (corpus / "notes.md", "--input-format"),
        (corpus / "pipe.txt", "no plain file"),
        (corpus / "out", "has no files"),
    ):
        with pytest.raises(ValueError, match=message):
            names(wrong)


def test_urls(model: Path, tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    write_input(tmp_path / "a.jsonl.gz")
    memory.pipe("/in/x/a.jsonl.gz", (tmp_path / "a.jsonl.gz").read_bytes())
    memory.pipe("/in/b.txt", b"the cook stirs\n\xff\n")
    run("parse-corpus", model, "memory://in", "memory://out")
    run("parse-corpus", model, tmp_path / "a.jsonl.gz", tmp_path / "out")
    names = {name for name in memory.find("/out") if "/." not in name}
    assert names == {
        "/out/settings.json",
        "/out/errors.jsonl",
        "/out/x/a.jsonl.gz.parquet",
        "/out/b.txt.parquet",
    }
    (tmp_path / "there.parquet").write_bytes(memory.cat("/out/x/a.jsonl.gz.parquet"))
    here = comparable(model, tmp_path / "out" / "a.jsonl.gz.parquet")
    assert comparable(model, tmp_path / "there.parquet") == here
    assert "has 2 of 2 files" in run("parse-corpus", model, "memory://in/**", "memory://out")
    memory.rm("/in", recursive=True)
    memory.rm("/out", recursive=True)
    said = run("parse-corpus", model, "nosuch://in", tmp_path / "no", status=1)
    assert "nosuch://in cannot be used" in said


@pytest.fixture
def stopped_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseException]]:
    """What is raised when the second file is parsed."""
    raised: list[BaseException] = []
    write_batch = FileParser._write_batch

    def stop(self: FileParser, batch: Any, file: Any, *rest: Any) -> None:
        if file.name == "b/a.txt" and raised:
            raise raised[0]
        write_batch(self, batch, file, *rest)

    monkeypatch.setattr(FileParser, "_write_batch", stop)
    yield raised


def test_the_same_command_goes_on(
    model: Path, corpus: Path, tmp_path: Path, stopped_in: list[BaseException]
) -> None:
    whole, output = tmp_path / "whole", tmp_path / "out"
    said = run("parse-corpus", model, corpus, whole)
    assert "12 sentences of 12 documents" in said
    stopped_in.append(KeyboardInterrupt())
    stopped = run("parse-corpus", model, corpus, output, status=130)
    assert "1 of 3 files are parsed: the same command goes on" in stopped
    assert sorted(outputs(output)) == ["a.txt.parquet", "errors.jsonl"]
    stopped_in.clear()
    done = (output / "a.txt.parquet").stat().st_mtime_ns
    resumed = run("parse-corpus", model, corpus, output)
    assert "has 1 of 3 files" in resumed
    assert "12 sentences of 12 documents" in resumed
    assert outputs(output) == outputs(whole)
    assert (output / "a.txt.parquet").stat().st_mtime_ns == done
    # An output that is gone, or whose record is, is written again.
    (output / "a.txt.parquet").unlink()
    (output / ".records" / "c.txt.json").unlink()
    assert "has 1 of 3 files" in run("parse-corpus", model, corpus, output)
    assert outputs(output) == outputs(whole)


def test_a_full_disk_stops_the_run(
    model: Path, corpus: Path, tmp_path: Path, stopped_in: list[BaseException]
) -> None:
    stopped_in.append(OSError(28, "No space left on device"))
    said = run("parse-corpus", model, corpus, tmp_path / "out", status=1)
    assert "a.txt.parquet cannot be written: No space left on device" in said
    assert sorted(outputs(tmp_path / "out")) == ["a.txt.parquet", "errors.jsonl"]


@pytest.mark.parametrize("change", ["option", "input", "pipeline", "folder"])
def test_another_run_is_refused(model: Path, corpus: Path, tmp_path: Path, change: str) -> None:
    output = tmp_path / "out"
    run("parse-corpus", model, corpus, output)
    options: list[str] = []
    said = "the parses of another run: "
    if change == "option":
        options, said = ["--confidence"], f"{said}settings: --confidence was False, and is True"
    elif change == "input":
        text_file(corpus / "a.txt", TEXTS)
        said = f"{said}inputs: a.txt was"
    elif change == "pipeline":
        nlp = spacy.load(model)
        nlp.meta["version"] = "9.9.9"
        nlp.to_disk(tmp_path / "model")
        model, said = tmp_path / "model", f"{said}pipeline: version was"
    else:
        (output / "settings.json").unlink()
        said = "and no settings.json"
    assert said in run("parse-corpus", model, corpus, output, *options, status=1)


def test_bad_documents_lose_no_other(
    model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that is no JSON or not UTF-8, a text that is too long, one on which it fails."""
    output = tmp_path / "out"
    long = {"text": "the cook " * 200}
    (corpus / "d.jsonl").write_text(f'{{"text": "a soup"}}\n{{\n{json.dumps(long)}\n')
    (corpus / "a.txt").write_bytes(b"the cook\n\xff\nan unparsable soup\na soup\n")
    load = parsing.load_whole

    def load_with_limit(name: str) -> Any:
        nlp = load(name)
        nlp.max_length = 1000
        return nlp

    monkeypatch.setattr(parsing, "load_whole", load_with_limit)
    said = run("parse-corpus", model, corpus, output, "-f", "spacy")
    assert "4 documents could not be parsed" in said
    listed = {(one["document"], one["message"].split(":")[0]) for one in errors(output)}
    assert {name for name, _ in listed} == {"a.txt:2", "a.txt:3", "d.jsonl:2", "d.jsonl:3"}
    assert ("a.txt:3", "no such word") in listed
    docs = docs_of(model, output / "a.txt.spacy", output / "d.jsonl.spacy")
    assert [doc.text for doc in docs] == ["the cook", "a soup", "a soup"]


def test_a_run_that_parses_nothing_fails(model: Path, tmp_path: Path) -> None:
    text_file(tmp_path / "a.txt", ["unparsable"])
    said = run("parse-corpus", model, tmp_path / "a.txt", tmp_path / "out", status=1)
    assert "✔" not in said


@pytest.mark.parametrize(
    ("name", "data"),
    [("d.spacy", b"none"), ("d.txt.gz", b"none"), ("d.txt", "a soup".encode("utf-16-le"))],
)
def test_an_unreadable_file_is_listed(
    model: Path, corpus: Path, tmp_path: Path, name: str, data: bytes
) -> None:
    (corpus / name).write_bytes(data)
    said = run("parse-corpus", model, corpus, tmp_path / "out", status=1)
    assert f"{name} could not be parsed" in said
    assert "3 of 4 files are parsed" in said
    (error,) = errors(tmp_path / "out")
    assert (error["input"], error["document"]) == (name, None)


def test_mistakes_are_named(model: Path, corpus: Path, tmp_path: Path) -> None:
    for args, message in (
        (("nosuch_pipeline", corpus, tmp_path / "out"), "nosuch_pipeline"),
        ((model, corpus / "a.txt", corpus / "c.txt"), "the last argument is the output folder"),
        ((model, corpus, tmp_path / "out", "--ray-address", "auto"), "is for --ray"),
        ((model, corpus, tmp_path / "out", "-f", "ptb", "--confidence"), "--confidence"),
    ):
        assert message in run("parse-corpus", *args, status=1)


def test_parquet_without_pyarrow_stops_before_anything_is_parsed(
    model: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = run("parse-corpus", model, corpus, tmp_path / "out", status=1)
    assert "spacy-structparse[corpus]" in said
    assert not (tmp_path / "out").exists()


def test_ray_has_nothing_to_do_where_all_is_parsed(
    model: Path, corpus: Path, tmp_path: Path
) -> None:
    """A run that was killed after its last file has nothing left but its end."""
    run("parse-corpus", model, corpus, tmp_path / "out")
    before = outputs(tmp_path / "out")
    run("parse-corpus", model, corpus, tmp_path / "out", "--ray")
    assert outputs(tmp_path / "out") == before
