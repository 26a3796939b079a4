"""`spacy structparse parse-corpus`: what is missing is parsed, and nothing else is lost."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
import spacy
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from spacy_structparse.cli import engines
from spacy_structparse.corpora.conllu import read_conllu
from spacy_structparse.corpora.docbins import read_docs
from spacy_structparse.corpora.json_lines import record_of
from spacy_structparse.sharding.outputs import DOCUMENT
from spacy_structparse.trees import Tree, sentence_trees
from tests.helpers.corpora_to_parse import DO, make_corpus, make_model, outputs, text
from tests.helpers.fake_parsers import saved
from tests.helpers.other_process import locked_elsewhere
from tests.helpers.output_names import names_in_outputs
from tests.helpers.run_here import run_here

pytestmark = pytest.mark.usefixtures("plain_english")
SHARDS = ["--shard-mb", "0.0001", "--batch-size", "2"]
"""Of 100 bytes, which are two or three documents."""


@pytest.fixture(autouse=True)
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    DO.clear()
    monkeypatch.setattr(engines, "run_locally", run_here)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model") / "model")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return make_corpus(tmp_path / "in")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out"


def parse(*args: object, status: int = 0) -> str:
    command = ["structparse", "parse-corpus", *map(str, args), *SHARDS]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == status, (result.output, result.exception)
    return " ".join(result.output.split())


def manifest(output: Path) -> Any:
    return json.loads((output / "manifest.json").read_text())


def errors(output: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (output / "errors.jsonl").read_text().splitlines()]


def interrupt() -> None:
    raise KeyboardInterrupt


def fail() -> None:
    raise ValueError("no such word")


def fail_once() -> None:
    DO.clear()
    raise OSError(28, "No space left on device")


def docs_of(model: Path, output: Path) -> list[Doc]:
    vocab = spacy.load(model).vocab
    return [doc for path in sorted(output.glob("*.spacy")) for doc in read_docs(path, vocab)]


def test_formats_have_the_same_parses(model: Path, corpus: Path, tmp_path: Path) -> None:
    """Those of `nlp.pipe`, with the ids and the other values of the documents."""
    nlp = spacy.load(model)
    parsed = list(nlp.pipe([text(n) for n in range(12)]))
    for style in ("spacy", "parquet", "conllu", "ptb"):
        parse(model, corpus, tmp_path / style, "-f", style)
    docs = docs_of(model, tmp_path / "spacy")
    ids = [str(doc.user_data[DOCUMENT]) for doc in docs]
    assert [one.rpartition(":")[0] for one in ids] == [
        str(corpus / ("a.txt" if n < 8 else "b.jsonl")) for n in range(12)
    ]
    assert [record_of(doc) for doc in docs] == [{}] * 8 + [{"id": n} for n in range(8, 12)]
    rows = [
        row
        for path in sorted((tmp_path / "parquet").glob("*.parquet"))
        for row in pyarrow.parquet.read_table(path).to_pylist()
    ]
    assert [row["document"] for row in rows] == ids
    assert [json.loads(row["meta"] or "{}") for row in rows] == [record_of(doc) for doc in docs]
    conllu = [
        sentence
        for path in sorted((tmp_path / "conllu").glob("*.conllu.gz"))
        for sentence in _conllu(path, tmp_path)
    ]
    lines = [
        line
        for path in sorted((tmp_path / "ptb").glob("*.ptb.gz"))
        for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    ]
    assert len(docs) == len(rows) == len(conllu) == len(lines) == len(parsed) == 12
    for want, doc, row, (number, columns), line in zip(
        parsed, docs, rows, conllu, lines, strict=True
    ):
        heads = [token.head.i for token in want]
        assert [token.head.i for token in doc] == row["heads"] == heads
        assert row["sentence"] == 1
        assert [column[1] for column in columns] == row["words"] == [token.text for token in want]
        in_conllu = [int(column[6]) - 1 for column in columns]
        assert [i if head < 0 else head for i, head in enumerate(in_conllu)] == heads
        deps = [token.dep_ for token in want]
        assert [token.dep_ for token in doc] == row["deps"] == deps
        # CoNLL-U has its own name for the root.
        assert [column[7] for column in columns] == [dep.replace("ROOT", "root") for dep in deps]
        assert number == row["document"]
        (tree,) = sentence_trees(want)
        assert sentence_trees(doc) == [tree]
        assert tree is not None
        assert row["tree"] == str(tree)
        assert Tree.from_string(line) == Tree.from_string(f"(TOP {tree})")


def _conllu(path: Path, folder: Path) -> list[tuple[str, list[list[str]]]]:
    """The document and the columns of each sentence, of a file that our reader takes too."""
    content = gzip.decompress(path.read_bytes()).decode()
    (folder / "plain.conllu").write_text(content)
    blocks = content.rstrip("\n").split("\n\n")
    assert len(list(read_conllu(folder / "plain.conllu"))) == len(blocks)
    found = []
    for block in blocks:
        lines = block.split("\n")
        document = lines[0].removeprefix("# newdoc id = ")
        found.append((document, [line.split("\t") for line in lines if line[0] != "#"]))
    return found


def test_confidence_is_written(model: Path, corpus: Path, tmp_path: Path) -> None:
    nlp = spacy.load(model, config={"components.spa_dep.confidence": True})
    nlp.to_disk(tmp_path / "sure")
    parse(tmp_path / "sure", corpus, tmp_path / "out")
    doc = next(iter(spacy.load(tmp_path / "sure").pipe([text(0)])))
    row = pyarrow.parquet.read_table(tmp_path / "out" / "part-000000.parquet").to_pylist()[0]
    for name in ("head_confidence", "dep_confidence"):
        assert row[name] == pytest.approx([token._.get(name) for token in doc], abs=1e-5)
    assert row["parse_confidence"] == pytest.approx(doc._.parse_confidence, abs=1e-5)
    # Without the setting, the option gives the same.
    parse(model, corpus, tmp_path / "option", "--confidence")
    assert outputs(tmp_path / "option") == outputs(tmp_path / "out")
    parse(model, corpus, tmp_path / "text", "--confidence", "-f", "conllu")
    ((_, columns), *_) = _conllu(tmp_path / "text" / "part-000000.conllu.gz", tmp_path)
    for column, token in zip(columns, doc, strict=True):
        assert f"HeadConfidence={token._.head_confidence:.4f}" in column[9].split("|")
    parse(model, corpus, tmp_path / "unsure")
    row = pyarrow.parquet.read_table(tmp_path / "unsure" / "part-000000.parquet").to_pylist()[0]
    assert row["head_confidence"] is None
    assert row["parse_confidence"] is None


def test_the_columns_are_those_of_the_documentation(
    model: Path, corpus: Path, output: Path
) -> None:
    parse(model, corpus, output)
    columns = pyarrow.parquet.read_schema(output / "part-000000.parquet").names
    assert sorted(columns) == sorted(names_in_outputs("parquet"))


def test_annotated_documents_keep_their_words(model: Path, tmp_path: Path) -> None:
    """Their parses are those of the pipeline."""
    nlp = spacy.load(model)
    given = Doc(nlp.vocab, ["the", "cook", "stirs"], heads=[0, 0, 0], deps=["ROOT", "x", "x"])
    (tmp_path / "in.spacy").write_bytes(DocBin(docs=[given] * 3).to_bytes())
    parse(model, tmp_path / "in.spacy", tmp_path / "out", "-f", "spacy")
    docs = docs_of(model, tmp_path / "out")
    want = nlp(Doc(nlp.vocab, ["the", "cook", "stirs"]))
    assert [[token.text for token in doc] for doc in docs] == [["the", "cook", "stirs"]] * 3
    for doc in docs:
        assert [token.dep_ for token in doc] == [token.dep_ for token in want]
        assert [token.head.i for token in doc] == [token.head.i for token in want]


@pytest.mark.parametrize("style", ["spacy", "parquet", "conllu", "ptb"])
def test_what_is_interrupted_goes_on(
    model: Path, corpus: Path, output: Path, tmp_path: Path, style: str
) -> None:
    whole = tmp_path / "whole"
    said = parse(model, corpus, whole, "-f", style)
    n_shards = manifest(whole)["counts"]["shards"]
    assert n_shards > 3
    DO[text(5)] = interrupt
    stopped = parse(model, corpus, output, "-f", style, status=130)
    done = manifest(output)["counts"]["shards"]
    assert 0 < done < n_shards
    assert f"{done} of {n_shards} shards are finished: the same command goes on" in stopped
    # What has been parsed is not parsed again.
    finished = sum(
        one["finished"]["documents"] for one in manifest(output)["shards"] if one["finished"]
    )
    DO.update({text(n): interrupt for n in range(finished)})
    DO.pop(text(5), None)
    resumed = parse(model, corpus, output, "-f", style)
    assert f"has {done} of {n_shards} shards: parsing the others" in resumed
    assert "words in 12 sentences of 12 documents" in said
    assert "words in 12 sentences of 12 documents" in resumed
    assert outputs(output) == outputs(whole)
    # Nothing is left to do.
    DO.update({text(n): interrupt for n in range(12)})
    parse(model, corpus, output, "-f", style)
    # But for an output that is gone, or is not what was written.
    lost = sorted(outputs(output))[2]
    (output / lost).write_bytes(b"")
    DO.clear()
    parse(model, corpus, output, "-f", style)
    assert outputs(output) == outputs(whole)


def test_bad_documents_are_listed_and_lose_no_other(
    model: Path, corpus: Path, output: Path, tmp_path: Path
) -> None:
    (corpus / "a.txt").write_bytes((corpus / "a.txt").read_bytes() + b"\xff\n")
    (corpus / "b.jsonl").write_text((corpus / "b.jsonl").read_text() + "{\n")
    DO.update({text(3): fail, text(9): fail})
    said = parse(model, corpus, output, "-f", "spacy")
    assert "4 documents could not be parsed" in said
    start = sum(len(text(n)) + 1 for n in range(3))
    assert {"input": f"{corpus}/a.txt", "document": f"{corpus}/a.txt:{start}", "message": "no such "
            "word"} in errors(output)  # fmt: skip
    assert len(errors(output)) == 4
    assert [doc.text for doc in docs_of(model, output)] == [
        text(n) for n in range(12) if n not in (3, 9)
    ]
    counts = manifest(output)["counts"]
    assert (counts["documents"], counts["errors"], counts["unreadable"]) == (10, 4, 0)


def test_a_run_that_parses_nothing_fails(model: Path, output: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{\n{\n", encoding="utf8")
    said = parse(model, tmp_path / "bad.jsonl", output, status=1)
    assert "2 documents could not be parsed" in said
    assert "✔" not in said


def test_utf16_is_named(model: Path, output: Path, tmp_path: Path) -> None:
    """Its lines end at other bytes: read as UTF-8, most of them are letters between NULs. It is
    larger than a shard, and is not cut."""
    text = tmp_path / "a.txt"
    text.write_text("A dog barks.\nAnother one sleeps.\n" * 10, encoding="utf16")
    said = parse(model, text, output, status=1)
    assert "1 inputs could not be read to their end" in said
    assert "✔" not in said
    (error,) = errors(output)
    assert (error["input"], error["document"]) == (str(text), None)
    assert "it is UTF-16 text: save it as UTF-8" in error["message"]


def test_a_misspelt_pipeline_is_named_as_it_was_given(corpus: Path, output: Path) -> None:
    said = parse("en_structparse_small", corpus, output, status=1)
    assert "The pipeline 'en_structparse_small' cannot be loaded" in said


def test_a_forgotten_output_is_named(model: Path, corpus: Path) -> None:
    said = parse(model, corpus / "b.jsonl", corpus / "a.txt", status=1)
    assert "a.txt is a file" in said
    assert "the last argument is the folder of the outputs" in said


def test_white_space_is_no_word(model: Path, output: Path, tmp_path: Path) -> None:
    (tmp_path / "spaces.txt").write_text("One  two\t three .\n", encoding="utf8")
    assert "4 words in 1 sentences of 1 documents" in parse(model, tmp_path / "spaces.txt", output)


def test_a_text_that_is_too_long_is_listed(
    model: Path, corpus: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its batch is parsed without it."""
    from spacy_structparse.sharding import parser

    most = sorted(len(text(n)) for n in range(12))[-3]

    def load(folder: str) -> Language:
        nlp = spacy.load(folder)
        nlp.max_length = most
        return nlp

    monkeypatch.setattr(parser, "load_whole", load)
    said = parse(model, corpus, output, "-f", "spacy")
    long = [n for n in range(12) if len(text(n)) > most]
    assert long
    assert f"{len(long)} documents could not be parsed" in said
    assert [doc.text for doc in docs_of(model, output)] == [
        text(n) for n in range(12) if n not in long
    ]
    for error in errors(output):
        assert "more than nlp.max_length = " in error["message"]
        assert "cut it into several documents" in error["message"]


def test_an_unreadable_input_is_listed_and_loses_no_other(
    model: Path, corpus: Path, output: Path
) -> None:
    (corpus / "aa.spacy").write_bytes(b"none")
    said = parse(model, corpus, output, "-f", "spacy", status=1)
    assert "1 inputs could not be read to their end" in said
    (error,) = errors(output)
    assert (error["input"], error["document"]) == (f"{corpus}/aa.spacy", None)
    assert "aa.spacy is not a whole .spacy file" in error["message"]
    assert len(docs_of(model, output)) == 12


def test_an_unreadable_input_of_several_shards_is_one(
    model: Path, corpus: Path, output: Path
) -> None:
    """A parquet file whose rows are damaged, and which was cut by its intact footer."""
    table = corpus / "aa.parquet"
    texts = pyarrow.table({"text": [text(n) for n in range(12)]})
    pyarrow.parquet.write_table(texts, table, row_group_size=1)
    content = table.read_bytes()
    footer = int.from_bytes(content[-8:-4], "little") + 8
    table.write_bytes(content[:4] + b"\xff" * (len(content) - footer - 4) + content[-footer:])
    (corpus / "c.jsonl").write_text("{\n", encoding="utf8")
    said = parse(model, corpus, output, "-f", "spacy", status=1)
    assert "1 inputs could not be read to their end" in said
    assert "1 documents could not be parsed" in said
    of_table = [error for error in errors(output) if error["document"] is None]
    assert len(of_table) > 1
    assert {error["input"] for error in of_table} == {str(table)}
    counts = manifest(output)["counts"]
    assert (counts["documents"], counts["errors"], counts["unreadable"]) == (
        12,
        len(of_table) + 1,
        1,
    )


def test_a_shard_that_cannot_be_read_now_is_parsed_later(
    model: Path, corpus: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spacy_structparse.sharding import documents

    def broken(*args: object) -> None:
        raise OSError(5, "Input/output error", "b.jsonl")

    with monkeypatch.context() as patch:
        patch.setattr(documents, "_objects", broken)
        said = parse(model, corpus, output, "-f", "spacy", status=1)
    assert "b.jsonl cannot be read" in said
    assert "Input/output error" in said
    assert "Input/output error" in errors(output)[0]["message"]
    assert len(docs_of(model, output)) < 12
    parse(model, corpus, output, "-f", "spacy")
    assert [doc.text for doc in docs_of(model, output)] == [text(n) for n in range(12)]
    assert not errors(output)


@pytest.mark.parametrize("damage", [b"", None])
def test_a_shard_that_is_lost_and_fails_is_not_finished(
    model: Path, corpus: Path, output: Path, damage: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its output is gone, or its record is damaged, and its input cannot be read now."""
    from spacy_structparse.sharding import documents

    def broken(*args: object) -> None:
        raise OSError(5, "Input/output error", "a.txt")

    parse(model, corpus, output, "-f", "spacy")
    if damage is None:
        (output / "part-000000.spacy").unlink()
    else:
        (output / "records" / "part-000000.json").write_bytes(damage)
    before = manifest(output)["counts"]["shards"]
    with monkeypatch.context() as patch:
        patch.setattr(documents, "_texts", broken)
        said = parse(model, corpus, output, "-f", "spacy", status=1)
    assert f"{before - 1} of {before} shards are finished" in said
    assert manifest(output)["counts"]["shards"] == before - 1
    assert manifest(output)["shards"][0]["finished"] is None
    assert errors(output)[0]["shard"] == "part-000000"


def test_what_cannot_be_written_as_it_stands_is_counted(
    model: Path, output: Path, tmp_path: Path
) -> None:
    words = Doc(spacy.load(model).vocab, ["the", "cook\ttoday", "stirs"])
    (tmp_path / "in.spacy").write_bytes(DocBin(docs=[words] * 3).to_bytes())
    said = parse(model, tmp_path / "in.spacy", output, "-f", "conllu")
    assert "9 words in 3 sentences of 3 documents" in said
    (count,) = manifest(output)["counts"]["notes"].values()
    assert count >= 3
    assert f"{count} values had tabs, line breaks or spaces" in said


def test_outputs_below_the_inputs_are_no_inputs(model: Path, corpus: Path) -> None:
    output = corpus / "parsed"
    (corpus / "below").mkdir()
    (corpus / "below" / "c.txt").write_text("the cook")
    parse(model, corpus, output, "-f", "spacy")
    assert "nothing is missing" in parse(model, corpus, output, "-f", "spacy")
    assert len(docs_of(model, output)) == 13
    # An input in the folder of outputs is one.
    (output / "in").mkdir()
    (output / "in" / "d.txt").write_text("the soup")
    assert "it had 3 inputs, and there are 1" in parse(
        model, output / "in", output, "-f", "spacy", status=1
    )


def test_a_full_disk_stops_the_run(
    model: Path, corpus: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full when the second shard is brought to it."""
    from spacy_structparse import files

    finish, numbers = files._finish, iter(range(100))

    def full(path: Path, replaced: Any) -> None:
        # The manifest, then the output and the record of the first shard.
        if next(numbers) == 3:
            raise OSError(28, "No space left on device", str(path))
        finish(path, replaced)

    with monkeypatch.context() as patch:
        patch.setattr(files, "_finish", full)
        said = parse(model, corpus, output, "-f", "spacy", status=1)
    assert "part-000001.spacy cannot be written" in said
    assert "No space left on device" in said
    assert set(outputs(output)) == {"part-000000.spacy", "errors.jsonl"}
    parse(model, corpus, output, "-f", "spacy")
    assert len(docs_of(model, output)) == 12


def another_text(model: Path, corpus: Path) -> list[object]:
    content = (corpus / "a.txt").read_text()
    (corpus / "a.txt").write_text(content.replace("cook", "cool"))
    return [model, corpus]


def another_model(model: Path, corpus: Path) -> list[object]:
    nlp = spacy.load(model)
    nlp.meta["description"] = "another"
    nlp.to_disk(corpus.parent / "another")
    return [corpus.parent / "another", corpus]


def another_file(model: Path, corpus: Path) -> list[object]:
    (corpus / "c.txt").write_text("more")
    return [model, corpus]


def other_options(model: Path, corpus: Path) -> list[object]:
    return [model, corpus, "--paragraphs", "blank-line"]


def with_confidence(model: Path, corpus: Path) -> list[object]:
    return [model, corpus, "--confidence"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (another_text, "{corpus}/a.txt (text, "),
        (another_model, "the pipeline is another one, or has changed"),
        (another_file, "it had 2 inputs, and there are 3"),
        (other_options, "--paragraphs was line, and is blank-line"),
        (with_confidence, "--confidence was False, and is True"),
    ],
)
def test_another_run_is_refused(
    model: Path,
    corpus: Path,
    output: Path,
    change: Callable[[Path, Path], list[object]],
    says: str,
) -> None:
    parse(model, corpus, output)
    before = outputs(output)
    first, inputs, *options = change(model, corpus)
    said = parse(first, inputs, output, *options, status=1)
    assert f"has the parses of another run: {says.format(corpus=corpus)}" in said
    assert f"To begin again, remove {output}" in said
    assert outputs(output) == before


def test_a_touched_file_is_the_same(model: Path, corpus: Path, output: Path) -> None:
    parse(model, corpus, output)
    os.utime(corpus / "a.txt", ns=(0, 0))
    parse(model, corpus, output)


def test_one_run_at_a_time(model: Path, corpus: Path, output: Path) -> None:
    """A lock of another process; that of a dead one is gone."""
    output.mkdir()
    with locked_elsewhere(output / ".lock"):
        assert "another process is writing" in parse(model, corpus, output, status=1)
    parse(model, corpus, output)


def test_a_mistyped_input_leaves_nothing(model: Path, corpus: Path, output: Path) -> None:
    assert "does not exist" in parse(model, corpus / "none.txt", output, status=1)
    assert not output.exists()


def test_what_no_clobber_counts_as_there(model: Path, corpus: Path, output: Path) -> None:
    """The lock of a run that ended before it wrote anything does not count."""
    output.mkdir()
    (output / ".lock").touch()
    parse(model, corpus, output, "--no-clobber")
    before = outputs(output)
    assert "has files, and --no-clobber" in parse(model, corpus, output, "--no-clobber", status=1)
    assert outputs(output) == before


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: (folder / "mine").write_text("a"), "has mine and no manifest.json"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "is damaged"),
        (lambda folder: (folder / "manifest.json").write_text("[]"), "is damaged"),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "not that of a parsed"),
    ],
)
def test_a_folder_with_something_else(
    model: Path, corpus: Path, output: Path, make: Callable[[Path], object], says: str
) -> None:
    output.mkdir()
    make(output)
    before = sorted(output.iterdir())
    assert says in parse(model, corpus, output, status=1)
    assert sorted(output.iterdir()) == before


def test_a_pipeline_that_does_not_do(corpus: Path, output: Path, tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    assert "such as stack_lstm_dep" in parse(tmp_path / "blank", corpus, output, status=1)
    assert "cannot be loaded" in parse(tmp_path / "none", corpus, output, status=1)
    unsure = saved(tmp_path / "unsure", "fake_heads")
    said = parse(unsure, corpus, output, "--confidence", status=1)
    assert "no parser that computes confidence" in said
    assert not output.exists()
