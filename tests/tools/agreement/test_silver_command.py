"""`spacy structparse silver`: its inputs, its rules, its errors and its report."""

import errno
import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.cli._util import app as spacy_app
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from spacy_structparse.corpora.docbins import read_docs
from tests.helpers.fake_parsers import saved
from tests.helpers.paths import SAVED


def silver(*args: object, fails: bool = False) -> str:
    result = CliRunner().invoke(spacy_app, ["structparse", "silver", *map(str, args)])
    assert (result.exit_code != 0) == fails, result.output
    return " ".join(result.output.split())


def written(path: Path) -> list[str]:
    return [doc.text.strip() for doc in read_docs(path, spacy.blank("xx").vocab)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    kinds: dict[str, dict[str, Any]] = {
        "plain": {"confidence": 0.9},
        "odd": {"odd": ["headed", "labelled"]},
        "other-labels": {"labels": ["nmod", "amod"]},
    }
    made = {name: saved(folder / name, "fake_heads", **kind) for name, kind in kinds.items()}
    return made | {"trees": saved(folder / "trees", "fake_trees")}


def test_texts_to_silver_with_a_report(models: dict[str, Path], tmp_path: Path) -> None:
    texts, lines, held_out = (tmp_path / name for name in ("a.txt", "b.jsonl", "test.conllu"))
    texts.write_text("We see a headed one. They are here.\nThey ARE here.\n")
    records = [{"text": "Rain falls.", "genre": "weather"}, {"text": "Snow falls."}]
    lines.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    held_out.write_text("1\tSnow\t_\t_\t_\t_\t2\tx\t_\t_\n2\tfalls.\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    output, report = tmp_path / "out.spacy", tmp_path / "report.json"
    printed = silver(
        texts, lines, output, "-m", models["plain"], "-m", models["odd"],
        "-x", held_out, "--report", report,
    )  # fmt: skip
    assert written(output) == ["They are here.", "Rain falls."]
    found = json.loads(report.read_text())
    assert found["agree"] == "dependencies" and found["share"] == 1
    assert found["documents"] == 4
    expected = {"read": 5, "excluded": 1, "duplicates": 1, "disagreed": 1, "agreed": 2}
    assert {name: n for name, n in found["sentences"].items() if n} == expected | {"written": 2}
    assert found["genres"] == {
        "a.txt": {"compared": 2, "agreed": 1},
        "weather": {"compared": 1, "agreed": 1},
    }
    assert found["lengths"] == {
        "1-5": {"compared": 2, "agreed": 2, "written": 2},
        "6-10": {"compared": 1, "agreed": 0, "written": 0},
    }
    for text in ("held out 1", "duplicates 1", "disagree 1", "weather 1 1 100.0", "2 sentences"):
        assert text in printed


def test_a_bad_line_is_counted_and_named_and_loses_no_other(
    models: dict[str, Path], tmp_path: Path
) -> None:
    lines, output, report = (tmp_path / name for name in ("b.jsonl", "out.spacy", "report.json"))
    lines.write_bytes(
        b'{"text": "Rain falls."}\n\n{\n{"body": "x"}\n{"text": "caf\xe9"}\n{"text": "\\ud800"}\n'
        b'{"text": "They fail."}\n{"text": "Snow falls."}\n'
    )
    printed = silver(lines, output, "-m", models["plain"], "--report", report, "--n-process", 2)
    assert written(output) == ["Rain falls.", "Snow falls."]
    found = json.loads(report.read_text())
    assert (found["documents"], found["failed_documents"]) == (7, 5)
    assert "5 of 7 documents failed" in printed
    for failure, number, reason in zip(
        found["failures"],
        (3, 4, 5, 6, 7),
        ("property name", "no object with a string 'text'", "not UTF-8", "surrogates", "fails"),
        strict=True,
    ):
        assert failure.startswith(f"{lines}: line {number}: ") and reason in failure
        assert " ".join(failure.split()) in printed


def test_a_line_of_a_text_that_is_not_utf8_loses_no_other(
    models: dict[str, Path], tmp_path: Path
) -> None:
    lines, output, report = (tmp_path / name for name in ("b.txt", "out.spacy", "report.json"))
    lines.write_bytes(b"Rain falls.\ncaf\xe9\nSnow falls.\n\xff\n")
    silver(lines, output, "-m", models["plain"], "--report", report)
    assert written(output) == ["Rain falls.", "Snow falls."]
    found = json.loads(report.read_text())
    assert (found["documents"], found["failed_documents"]) == (4, 2)
    for failure, number in zip(found["failures"], (2, 4), strict=True):
        assert failure.startswith(f"{lines}: line {number}: ") and "not UTF-8" in failure


def test_files_of_one_name_have_genres_of_their_own(
    models: dict[str, Path], tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    texts = [tmp_path / name for name in ("a/news.txt", "b/news.txt", "b/web.txt")]
    for number, path in enumerate(texts):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{'They all saw me there.'[: 4 + 4 * number]}\nThese fail.\n")
    silver(*texts, tmp_path / "out", "-m", models["plain"], "--report", report)
    found = json.loads(report.read_text())
    assert list(found["genres"]) == ["a/news.txt", "b/news.txt", "web.txt"]
    for path, failure in zip(texts, found["failures"], strict=True):
        assert failure.startswith(f"{path}, document 2: ")


def test_docs_lose_their_annotation_and_keep_their_tokens(
    models: dict[str, Path], tmp_path: Path
) -> None:
    gold = Doc(
        spacy.blank("xx").vocab, ["No.", "5", "is", "alive"], lemmas=["x"] * 4, tags=["X"] * 4,
        heads=[3, 3, 3, 3], deps=["a", "b", "c", "ROOT"],
    )  # fmt: skip
    DocBin(docs=[gold]).to_disk(tmp_path / "gold.spacy")
    silver(tmp_path / "gold.spacy", tmp_path / "out", "-m", models["plain"], "--confidence", 0.5)
    (doc,) = read_docs(tmp_path / "out", spacy.blank("xx").vocab)
    assert [token.text for token in doc] == ["No.", "5", "is", "alive"]
    assert [token.head.i for token in doc] == [0] * 4
    assert not doc.has_annotation("TAG") and not doc.has_annotation("LEMMA")


def test_lengths_like_a_treebank(models: dict[str, Path], tmp_path: Path) -> None:
    vocab = spacy.blank("xx").vocab
    DocBin(docs=[Doc(vocab, ["a"] * 7)]).to_disk(tmp_path / "like.spacy")
    text = "We saw it. We have seen it over there. They ran."
    pair = ["-m", models["plain"], "-m", models["odd"]]
    printed = silver("-i", "text", "-", tmp_path / "a.spacy", *pair, fails=True)
    assert "0 read" in printed
    silver(text, tmp_path / "a.spacy", *pair, "--like", tmp_path / "like.spacy")
    assert written(tmp_path / "a.spacy") == ["We have seen it over there."]


@pytest.mark.parametrize(
    ("chosen", "options", "message"),
    [
        (["plain", "other-labels"], [], "have different labels"),
        (["plain", "other-labels"], ["-a", "unlabelled"], "Only the first has dep, obj"),
        (["plain", "trees"], [], "writes none"),
        (["plain", "odd"], ["-a", "trees"], "compared by their trees"),
        (["plain"], ["--agree", "dependencies"], "name another by --models"),
        (["odd", "plain"], ["--confidence", "0.5"], "no parser that computes confidence"),
        (["plain", "missing"], [], "cannot be loaded"),
        (["plain", "odd"], ["--exclude", "none.conllu"], "none.conllu does not exist"),
        (["plain", "odd"], ["--like", "none.spacy"], "none.spacy does not exist"),
    ],
)
def test_errors_before_the_work(
    models: dict[str, Path], tmp_path: Path, chosen: list[str], options: list[str], message: str
) -> None:
    pipelines = [part for name in chosen for part in ("-m", models.get(name, "no-such-model"))]
    printed = silver("They ran.", tmp_path / "a.spacy", *pipelines, *options, fails=True)
    assert "Nothing was parsed" in printed and message in printed
    assert not list(tmp_path.iterdir())


def test_a_text_file_that_is_not_there(models: dict[str, Path], tmp_path: Path) -> None:
    pipelines = ["-m", models["plain"], "-m", models["odd"]]
    printed = silver("no.txt", tmp_path / "a.spacy", *pipelines, fails=True)
    assert "no.txt does not exist" in printed
    assert "--text" not in printed


def test_outputs_that_are_there(models: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder.spacy").mkdir()
    for name, message in (
        ("full", "is not empty"),
        ("file", "only if it ends in .spacy"),
        ("folder.spacy", "is a folder"),
    ):
        printed = silver("They ran.", tmp_path / name, "-m", models["plain"], fails=True)
        assert message in printed
    assert (tmp_path / "file").read_text() == (tmp_path / "full" / "mine").read_text() == "mine"


def test_a_report_that_cannot_be_written_loses_no_silver_data(
    models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("spacy_structparse.tools.agreement.commands.silver.write_atomically", full)
    output, report = tmp_path / "a.spacy", tmp_path / "report.json"
    printed = silver("They ran.", output, "-m", models["plain"], "--report", report, fails=True)
    assert written(output) == ["They ran."]
    assert "a.spacy: 1 sentences" in printed
    assert "The report was not written" in printed
    assert "No silver data" not in printed


def test_trained_parsers(corpus: Path, tmp_path: Path) -> None:
    pair = ["trees_bottom_up_datt", "trees_heads_rightmost"]
    pipelines = [part for name in pair for part in ("-m", SAVED / name)]
    output = tmp_path / "a.spacy"
    silver(corpus / "test.spacy", output, *pipelines, "--share", 0.5)
    docs = list(read_docs(output, spacy.blank("en").vocab))
    assert docs
    for doc in docs:
        assert doc.spans["constituency"][0].text == doc.text.strip()


def test_confidence_is_computed_where_no_setting_says_so(tmp_path: Path) -> None:
    output = tmp_path / "a.spacy"
    silver("The cook stirs.", output, "-m", SAVED / "spa_bot_biaffine", "--confidence", 0.0)
    assert written(output) == ["The cook stirs."]
