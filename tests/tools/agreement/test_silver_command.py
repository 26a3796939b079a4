"""`spacy structparse silver`: its inputs, its rules, its errors and its report."""

import re
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_structparse.corpora.docbins import read_docs
from tests.helpers.commands import said
from tests.helpers.fake_parsers import saved
from tests.helpers.paths import SAVED


def silver(*args: object, fails: bool = False) -> str:
    return said("silver", *args, status=int(fails))


def written(path: Path) -> list[str]:
    return [doc.text.strip() for doc in read_docs(path, spacy.blank("xx").vocab)]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    kinds: dict[str, dict[str, Any]] = {
        "plain": {"confidence": 0.9},
        "odd": {"odd": ["headed", "labelled"]},
    }
    made = {name: saved(folder / name, "fake_heads", **kind) for name, kind in kinds.items()}
    return made | {"trees": saved(folder / "trees", "fake_trees")}


def counts_in(printed: str) -> dict[str, int]:
    """The counts that are above 0, of the table that is printed."""
    found = re.findall(r"\b([a-z]+) ([0-9]+)\b", printed.partition("✔")[0])
    return {name: int(number) for name, number in found if number != "0"}


def test_texts_to_silver(models: dict[str, Path], tmp_path: Path) -> None:
    texts, lines, held_out = (tmp_path / name for name in ("a.txt", "b.jsonl", "test.conllu"))
    texts.write_text("We see a headed one. They are here.\nThey ARE here.\n")
    lines.write_text('{"text": "Rain falls."}\n{"text": "Snow falls."}\n')
    held_out.write_text("1\tSnow\t_\t_\t_\t_\t2\tx\t_\t_\n2\tfalls.\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    output = tmp_path / "out.spacy"
    pair = ["-m", models["plain"], "-m", models["odd"]]
    printed = silver(texts, lines, output, *pair, "-x", held_out)
    assert written(output) == ["They are here.", "Rain falls."]
    assert counts_in(printed) == {
        "read": 5, "excluded": 1, "duplicates": 1, "disagreed": 1, "agreed": 2, "written": 2,
    }  # fmt: skip


def test_bad_lines_are_named_and_lose_no_other(models: dict[str, Path], tmp_path: Path) -> None:
    texts, lines, output = (tmp_path / name for name in ("a.txt", "b.jsonl", "out.spacy"))
    texts.write_bytes(b"Hail falls.\ncaf\xe9\nWe ran.\n")
    lines.write_bytes(
        b'{"text": "Rain falls."}\n\n{\n{"body": "x"}\n{"text": "caf\xe9"}\n{"text": "\\ud800"}\n'
        b'{"text": "They fail."}\n{"text": "Snow falls."}\n'
    )
    printed = silver(texts, lines, output, "-m", models["plain"])
    assert written(output) == ["Hail falls.", "We ran.", "Rain falls.", "Snow falls."]
    assert "They fail." in printed
    assert printed.count("not UTF-8") == 2
    for reason in ("property name", "no object with a string 'text'", "surrogates"):
        assert reason in printed


def test_docs_lose_their_annotation_and_keep_their_tokens(
    models: dict[str, Path], tmp_path: Path
) -> None:
    gold = Doc(
        spacy.blank("xx").vocab, ["No.", "5", "is", "alive"], lemmas=["x"] * 4, tags=["X"] * 4,
        heads=[3, 3, 3, 3], deps=["a", "b", "c", "ROOT"],
    )  # fmt: skip
    DocBin(docs=[gold]).to_disk(tmp_path / "gold.spacy")
    output = tmp_path / "out.spacy"
    silver(tmp_path / "gold.spacy", output, "-m", models["plain"], "--confidence", 0.5)
    (doc,) = read_docs(output, spacy.blank("xx").vocab)
    assert [token.text for token in doc] == ["No.", "5", "is", "alive"]
    assert [token.head.i for token in doc] == [0] * 4
    assert not doc.has_annotation("TAG") and not doc.has_annotation("LEMMA")


@pytest.mark.parametrize(
    ("chosen", "options", "message"),
    [
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
    (tmp_path / "a.txt").write_text("They ran.\n")
    output = tmp_path / "a.spacy"
    printed = silver(tmp_path / "a.txt", output, *pipelines, *options, fails=True)
    assert "'silver' failed" in printed and message in printed
    assert not output.exists()


def test_the_output_is_a_spacy_file(models: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("They ran.\n")
    printed = silver(tmp_path / "a.txt", tmp_path / "out", "-m", models["plain"], fails=True)
    assert "is no .spacy file" in printed and not (tmp_path / "out").exists()


def test_confidence_is_computed_where_no_setting_says_so(tmp_path: Path) -> None:
    output = tmp_path / "a.spacy"
    (tmp_path / "a.txt").write_text("The cook stirs.\n")
    silver(tmp_path / "a.txt", output, "-m", SAVED / "spa_bot_biaffine", "--confidence", 0.0)
    assert written(output) == ["The cook stirs."]
