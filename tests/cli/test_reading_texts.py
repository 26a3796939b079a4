"""Texts and folders are read alike by all commands, which say what they do not read."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy.cli  # noqa: F401  (puts spaCy's own commands on the app)
from click.testing import Result
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_structparse.cli import engines
from tests.helpers.fake_parsers import saved
from tests.helpers.run_here import run_here

WRAPPED = """\
The old baker of the village sells fresh bread and sweet
cakes from a small shop beside the river. Nobody knows how
early he has to rise, since nobody else is awake by then.

His daughter helps him on Saturdays, when people come from
the other villages too. A dog barks.
"""
N_SENTENCES = 4
INSIDE = "3 of 3 line breaks"
Counter = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("trees") / "model", "fake_trees")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "in.txt"
    path.write_text(WRAPPED)
    return path


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(app, ["structparse", *map(str, arguments)])
    assert result.exit_code == 0, (result.output, result.exception)
    return result


def messages(result: Result) -> str:
    return " ".join(result.stderr.split())


def measured(model: Path, text: Path, *options: str) -> tuple[int, str]:
    result = run("measures", text, "--model", model, *options)
    rows = csv.DictReader(io.StringIO(result.stdout))
    return sum(int(row["S"]) for row in rows), messages(result)


def searched(model: Path, text: Path, *options: str) -> tuple[int, str]:
    result = run("search", "ROOT", text, "--model", model, *options)
    return len(result.stdout.splitlines()), messages(result)


def parsed(model: Path, text: Path, *options: str) -> tuple[int, str]:
    result = run("parse", model, text, "--format", "ptb", *options)
    return len(result.stdout.splitlines()), messages(result)


def parsed_corpus(model: Path, text: Path, *options: str) -> tuple[int, str]:
    folder = text.parent / "parsed"
    result = run("parse-corpus", model, text, folder, "--shard-mb", "1", *options)
    lines = run("search", "ROOT", folder).stdout.splitlines()
    return len(lines), " ".join(result.output.split())


@pytest.mark.parametrize("read", [measured, searched, parsed, parsed_corpus])
def test_wrapped_lines_are_joined_or_warned_of(
    read: Counter, model: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "run_locally", run_here)
    n_sentences, said = read(model, text, "--paragraphs", "blank-line")
    assert n_sentences == N_SENTENCES and INSIDE not in said


@pytest.mark.parametrize("read", [measured, searched, parsed, parsed_corpus])
def test_wrapped_lines_that_are_documents_are_warned_of(
    read: Counter, model: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "run_locally", run_here)
    n_sentences, said = read(model, text)
    assert n_sentences > N_SENTENCES
    assert INSIDE in said and str(text) in said and "--paragraphs blank-line" in said


@pytest.mark.parametrize("command", ["parse", "search", "measures"])
def test_texts_that_a_folder_has_beside_trees_are_counted(
    command: str, model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.ptb").write_text("(S (NN a) (NN b))\n")
    for name in ("c.txt", "b.txt", "d.jsonl"):
        (folder / name).write_text("x\n")
    arguments = {
        "parse": ("parse", "-", folder, "--gold"),
        "search": ("search", "S", folder),
        "measures": ("measures", folder),
    }
    said = messages(run(*arguments[command]))
    assert "3 files" in said and str(folder / "b.txt") in said
    run_of_texts = run("parse", model, folder, "-i", "text", "-f", "ptb")
    assert "b.txt" not in messages(run_of_texts)


def test_a_bad_record_is_listed_and_the_others_parsed(model: Path, tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "A b."}\n{"text": 1}\n\n[\n{"text": "C d."}\n')
    for command in (
        ("parse", model, source, "-f", "ptb"),
        ("search", "S", source, "--model", model),
    ):
        result = run(*command)
        assert len(result.stdout.splitlines()) == 2
        assert "in.jsonl:2" in messages(result) and "in.jsonl:4" in messages(result)


HISTORICAL = "( (IP-MAT (NP-SBJ *con*) (VBDI fór-fara) (. .-.)) (ID 1150.FIRSTGRAMMAR,.1))\n"


def test_lemmas_in_leaves_are_noticed_and_set_apart(tmp_path: Path) -> None:
    source = tmp_path / "in.psd"
    source.write_text(HISTORICAL * 15)
    commands: tuple[tuple[object, ...], ...] = (
        ("search", "VBDI", source, "--stats", "lemma"),
        ("parse", "-", source, "--gold", "-f", "ptb"),
        ("measures", source),
        ("convert", source, tmp_path / "out.spacy"),
    )
    for command in commands:
        said = " ".join(run(*command).output.split())
        assert "30 of 30" in said and "--split-lemmas" in said
        assert "30 of 30" not in run(*command, "--split-lemmas").output
    assert run(*commands[0], "--split-lemmas").stdout.split()[-2:] == ["fara", "15"]
    ptb = run(*commands[1], "--split-lemmas").stdout.splitlines()
    assert ptb == ["(TOP (IP (VBDI fór) (. .)))"] * 15


def test_few_words_with_hyphens_are_no_lemmas(tmp_path: Path) -> None:
    source = tmp_path / "in.psd"
    source.write_text("(S (NN well-being) (NN is) (JJ far-off))\n" * 40)
    assert "--split-lemmas" not in run("search", "NN", source).output
