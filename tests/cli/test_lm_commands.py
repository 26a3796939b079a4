"""`spacy structparse lm sample` and `phrases`: texts of a language model, and its attention."""

import csv
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from tests.helpers.commands import run, said
from tests.helpers.small_lm import lm_pipeline
from tests.helpers.small_parser import examples_of, train

TEXT = ["The cook stirs the soup .", "She reads .", "The old cook reads ."]


def trained(folder: Path, pyramid: str = "lstm") -> str:
    def examples(nlp: Language) -> list[Example]:
        return examples_of(nlp, [Doc(nlp.vocab, words=line.split()) for line in TEXT])

    nlp = lm_pipeline(examples, model={"pyramid": pyramid})
    train(nlp, examples(nlp), 20, 0.05)
    nlp.to_disk(folder)
    return str(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return trained(tmp_path_factory.mktemp("lm") / "model")


def words_of(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_sample(model: str) -> None:
    def sample(*arguments: object) -> list[str]:
        return run("lm", "sample", model, *arguments).output.splitlines()

    lines = sample("--n", 5, "--seed", 3)
    assert len(lines) == 5
    assert set(" ".join(lines).split()) <= {word for line in TEXT for word in line.split()}
    assert sample("--n", 5, "--seed", 3) == lines
    begun = sample("The", "old", "--n", 4)
    assert [line.split()[:2] for line in begun] == [["The", "old"]] * 4
    for temperature in (0, 1e-40):
        assert sample("She", "--temperature", temperature, "--n", 2) == ["She reads ."] * 2


def test_surprisal(model: str, tmp_path: Path) -> None:
    output = tmp_path / "words.tsv"
    run("lm", "surprisal", model, 'The  cook "reads" .', "--output", output)
    rows = words_of(output)
    assert [row["word"] for row in rows] == ["The", "cook", '"', "reads", '"', "."]
    assert [row["token"] for row in rows] == ["0", "2", "3", "4", "5", "6"]  # 1 is a space
    assert {row["sentence"] for row in rows} == {"0"}
    assert [row["unknown"] for row in rows] == ["0", "0", "1", "0", "1", "0"]
    doc = spacy.load(model)('The  cook "reads" .')
    bits = [token._.surprisal for token in doc if not token.is_space]
    assert [float(row["bits"]) for row in rows] == pytest.approx(bits, abs=1e-4)
    printed = run("lm", "surprisal", model, 'The  cook "reads" .').output
    assert output.read_text(encoding="utf8") in printed
    taken = said("lm", "surprisal", model, output, status=1)
    assert "words.tsv is a file, and this command takes the text" in taken
    options = "--output", output, "--no-clobber"
    assert "no-clobber" in said("lm", "surprisal", model, "She reads.", *options, status=1)


def test_entropy_and_items(model: str, tmp_path: Path) -> None:
    """The words and regions of a table are kept, and so are its other columns."""
    items = tmp_path / "items.csv"
    items.write_text(
        "\ufeffitem,condition,region,text,list\n"
        '1,plain,subject,The cook,A\n1,plain,verb,"stirs , 1.5",B\n'
        "1,long,subject,The old cook,A\n2,long,subject,She reads. Old,A\n",
        encoding="utf8",
    )
    output = tmp_path / "words.tsv"
    run("lm", "surprisal", model, "--items", items, "--output", output)
    table = words_of(output)
    sentences = [
        ["The", "cook", "stirs", ",", "1.5"],
        ["The", "old", "cook"],
        ["She", "reads.", "Old"],
    ]
    assert [line["word"] for line in table] == [word for sentence in sentences for word in sentence]
    columns = ("item", "condition", "region", "list", "sentence", "token")
    assert [tuple(line[name] for name in columns) for line in table[1:6]] == [
        ("1", "plain", "subject", "A", "0", "1"),
        *(("1", "plain", "verb", "B", "0", str(token)) for token in (2, 3, 4)),
        ("1", "long", "subject", "A", "1", "0"),
    ]
    nlp = spacy.load(model)
    nlp.get_pipe("phrasal_lm").keep_entropy = True  # type: ignore[attr-defined]
    docs = [nlp(Doc(nlp.vocab, words=words)) for words in sentences]
    for name, values in {
        "bits": [token._.surprisal for doc in docs for token in doc],
        "spelling": [token._.spelling_surprisal or 0.0 for doc in docs for token in doc],
        "entropy": [token._.entropy for doc in docs for token in doc],
    }.items():
        assert [float(line[name]) for line in table] == pytest.approx(values, abs=1e-4)


@pytest.mark.parametrize(
    ("table", "place"),
    [
        ("item,text\n1,She reads\n1, \n", "line 3"),
        ("item,text\n1,She reads,2\n", "line 2"),
        ("item,sentence\n1,She reads\n", "line 1"),
        ("item,region,text\n1,a,She\n1,b,reads\n1,a,The\n", "a region twice: a, b, a"),
        ("text,word\nShe,reads\n", "word"),
        ("text\n", "items.csv"),
    ],
    ids=["no words", "cells", "no text", "a region twice", "a column of ours", "empty"],
)
def test_items_that_are_refused(model: str, tmp_path: Path, table: str, place: str) -> None:
    items, output = tmp_path / "items.csv", tmp_path / "words.tsv"
    items.write_text(table, encoding="utf8")
    arguments = "--items", items, "--output", output
    assert place in said("lm", "surprisal", model, *arguments, status=1)
    assert not output.exists()


def test_a_text_or_items(model: str, tmp_path: Path) -> None:
    items = tmp_path / "items.csv"
    items.write_text("text\nShe reads\n", encoding="utf8")
    run("lm", "surprisal", model, status=2)
    run("lm", "surprisal", model, "She reads.", "--items", items, status=2)


def test_a_text_that_is_too_long_is_read_in_parts(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nlp = spacy.load(model)
    nlp.max_length = 15
    monkeypatch.setattr("spacy_structparse.cli.lm.load_pipeline", lambda *_, **__: nlp)
    text = "She reads. The old cook reads."
    output = tmp_path / "words.tsv"
    assert "was read as 3 documents" in said("lm", "surprisal", model, text, "--output", output)
    rows = words_of(output)
    words = "She reads . The old cook reads .".split()
    assert [(row["token"], row["word"]) for row in rows] == [
        (str(i), word) for i, word in enumerate(words)
    ]
    assert [row["sentence"] for row in rows] == list("00011122")


def test_phrases(model: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    output = tmp_path / "pyramid.svg"
    result = run("lm", "phrases", model, "The old cook reads.", "--output", output)
    tree = next(line for line in result.output.splitlines() if "cook" in line)
    assert tree.replace("(", "").replace(")", "") == "The old cook reads ."
    assert tree.count("(") == tree.count(")") == 4  # a binary tree over five words
    drawn = output.read_text(encoding="utf-8")
    assert all(word in drawn for word in ("old", "cook"))
    assert drawn.count("<path") > 15  # a diamond for each of the phrases
    picture = tmp_path / "pyramid.png"
    run("lm", "phrases", model, "She reads.", "--output", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    run("lm", "phrases", model, "She", "--output", picture)


def test_a_model_without_a_pyramid(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plain = trained(tmp_path / "plain", "none")
    output = tmp_path / "pyramid.svg"
    assert "no pyramid" in said("lm", "phrases", plain, "She reads.", "-o", output, status=1)


def test_a_pipeline_without_a_language_model(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "other")
    assert "sentencizer" in said("lm", "sample", tmp_path / "other", status=1)


def test_one_of_two_language_models_is_chosen(model: str, tmp_path: Path) -> None:
    nlp = spacy.load(model)
    nlp.add_pipe("phrasal_lm", name="second", source=spacy.load(model))  # type: ignore[call-arg]
    nlp.to_disk(tmp_path / "two")
    for options in ([], ["--component", "third"]):
        out = said("lm", "sample", tmp_path / "two", *options, status=1)
        assert "phrasal_lm, second" in out
    chosen = run("lm", "sample", tmp_path / "two", "--component", "second", "--seed", 3)
    assert chosen.output == run("lm", "sample", model, "--seed", 3).output
