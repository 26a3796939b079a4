"""Commands and texts of more characters than `nlp.max_length`: no text stops the others."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from tests.helpers import fake_parsers  # noqa: F401  (registers the factories)
from tests.helpers.commands import said
from tests.helpers.saved_pipelines import saved

MOST = 40
SENTENCES = [f"The {word} cook stirs." for word in ("first", "second", "third", "fourth", "fifth")]
LONG = " ".join(SENTENCES)


@Language.factory("test_short_texts")
def make_short_texts(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    nlp.max_length = MOST
    return lambda doc: doc


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("short") / "model", "xx", "test_short_texts", "fake_heads")


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "out" / "parsed.jsonl"


def parse(*args: object) -> str:
    return said("parse", *args, "-f", "json", "--one-sentence")


def records(output: Path) -> list[Any]:
    return [json.loads(line) for line in output.read_text(encoding="utf8").splitlines()]


@pytest.mark.parametrize("n_process", [1, 2])
def test_a_long_text_becomes_several_documents(
    model: Path, tmp_path: Path, output: Path, n_process: int
) -> None:
    source = tmp_path / "in.txt"
    source.write_text(f"Before.\n\n{LONG}\nAfter.\n")
    out = parse(model, source, "-o", output, "-p", n_process)
    assert [one["text"] for one in records(output)] == ["Before.", *SENTENCES, "After."]
    for one in records(output):
        (sentence,) = one["sentences"]
        assert one["text"][sentence["start_char"] : sentence["end_char"]] == one["text"]
    assert f"in.txt:3: cut: the text has {len(LONG)} characters" in out
    assert "nlp.max_length = 40, and was read as 5 documents" in out


@pytest.mark.parametrize(
    ("paragraphs", "texts"),
    [
        ("blank-line", ["The first cook stirs.", "The second cook stirs.", "It is hot."]),
        ("none", ["The first cook stirs.", "The second cook stirs. It is hot."]),
    ],
)
def test_lines_that_are_joined_are_cut_between_sentences(
    model: Path, tmp_path: Path, output: Path, paragraphs: str, texts: list[str]
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("The first\ncook stirs. The second cook\nstirs.\n\nIt is hot.\n")
    out = parse(model, source, "-o", output, "--paragraphs", paragraphs)
    assert [one["text"] for one in records(output)] == texts
    assert "in.txt:1: cut: " in out


def test_a_long_text_of_json_is_left_out(model: Path, tmp_path: Path, output: Path) -> None:
    """Its parts would have its other values, which belong to the whole."""
    source = tmp_path / "in.jsonl"
    texts = ["Before.", LONG, "After."]
    lines = (json.dumps({"text": text, "id": n}) for n, text in enumerate(texts))
    source.write_text("\n".join(lines))
    out = parse(model, source, "-o", output)
    assert [(one["text"], one["id"]) for one in records(output)] == [("Before.", 0), ("After.", 2)]
    assert f"in.jsonl:2: skipped: its text has {len(LONG)} characters" in out
    assert "cut it into several documents" in out
