"""`spacy structparse parallel` and `translate`: text in, text out, line by line."""

from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin

from tests.helpers import fake_tracer  # noqa: F401  (registers the factory)
from tests.helpers.commands import run, said
from tests.helpers.paths import PARALLEL
from tests.helpers.small_parser import train
from tests.helpers.small_translator import pairs, translator


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = translator(30)
    train(nlp, pairs(nlp, 30), 20)
    folder = tmp_path_factory.mktemp("translator") / "model"
    nlp.to_disk(folder)
    return folder


def test_parallel(tmp_path: Path) -> None:
    output = tmp_path / "dev.spacy"
    files = PARALLEL / "dev.de", PARALLEL / "dev.en"
    assert "60 pairs" in said("parallel", *files, output, "--lang", "de")
    docs = list(DocBin().from_disk(output).get_docs(spacy.blank("de").vocab))
    assert [doc.text for doc in docs] == (PARALLEL / "dev.de").read_text("utf8").splitlines()
    english = (PARALLEL / "dev.en").read_text("utf8").splitlines()
    assert [doc._.translation for doc in docs] == english


def test_parallel_files_that_are_not_aligned(tmp_path: Path) -> None:
    output = tmp_path / "out.spacy"
    english = PARALLEL / "dev.en"
    out = said("parallel", PARALLEL / "train.de", english, output, status=1)
    assert "dev.en ends before line 61" in out
    run("parallel", tmp_path / "no.de", english, output, status=1)
    assert list(tmp_path.iterdir()) == []


def test_translate(model: Path, tmp_path: Path) -> None:
    source = tmp_path / "text.de"
    source.write_text("der hund sieht das haus .\n\nwir kaufen ein buch .\n", encoding="utf8")
    output = tmp_path / "text.en"
    run("translate", model, source, "--output", output)
    nlp = spacy.load(model)
    expected = [nlp(line)._.translation for line in source.read_text("utf8").splitlines()]
    assert output.read_text("utf8") == "".join(f"{line}\n" for line in expected)
    assert expected[1] == ""
    assert expected[0] != ""
    nlp.get_pipe("seq2seq_translation").beam_width = 3
    printed = run("translate", model, "-", "--beam-width", 3, text="der hund sieht das haus .\n")
    assert printed.output == nlp("der hund sieht das haus .")._.translation + "\n"


def test_translate_without_a_translator(tmp_path: Path) -> None:
    spacy.blank("de").to_disk(tmp_path / "blank")
    source = tmp_path / "text.de"
    source.write_text("der hund\n", encoding="utf8")
    output = tmp_path / "text.en"
    out = said("translate", tmp_path / "blank", source, "--output", output, status=1)
    assert "has no seq2seq_translation" in out
    assert not output.exists()


def test_a_line_that_is_too_long_is_not_translated(model: Path, tmp_path: Path) -> None:
    """Its parts would have translations on lines of their own."""
    source = tmp_path / "text.de"
    source.write_text(f"der hund\n{'hund ' * 200_001}\n", encoding="utf8")
    out = said("translate", model, source, "--output", tmp_path / "text.en", status=1)
    assert "text.de, line 2: its text has 1,000,004 characters" in out
    assert "more than nlp.max_length = 1,000,000: cut it into several lines" in out
    assert not (tmp_path / "text.en").exists()


def test_files_without_lines_have_no_pairs(tmp_path: Path) -> None:
    empty, output = tmp_path / "empty.txt", tmp_path / "out.spacy"
    empty.write_text("")
    run("parallel", empty, empty, output, status=1)
    assert not output.exists()
