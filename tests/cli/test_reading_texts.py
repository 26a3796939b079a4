"""Texts and folders are read alike by all commands, which say what they do not read."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from spacy_structparse.tools.search.commands import inputs as annotated_inputs
from tests.helpers.commands import run, said
from tests.helpers.fake_parsers import saved

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


@pytest.mark.parametrize("read", [measured, searched, parsed])
def test_wrapped_lines_are_joined_or_warned_of(read: Counter, model: Path, text: Path) -> None:
    n_sentences, warned = read(model, text, "--paragraphs", "blank-line")
    assert n_sentences == N_SENTENCES and INSIDE not in warned
    n_sentences, warned = read(model, text)
    assert n_sentences > N_SENTENCES
    assert INSIDE in warned and str(text) in warned and "--paragraphs blank-line" in warned
    assert INSIDE not in read(model, text, "--paragraphs", "line")[1]


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
    warned = messages(run(*arguments[command]))
    assert "3 files" in warned and str(folder / "b.txt") in warned
    run_of_texts = run("parse", model, folder, "-i", "text", "-f", "ptb")
    assert "b.txt" not in messages(run_of_texts)


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
        out = said(*command)
        assert "30 of 30" in out and "--split-lemmas" in out
        assert "30 of 30" not in run(*command, "--split-lemmas").output
    assert run(*commands[0], "--split-lemmas").stdout.split()[-2:] == ["fara", "15"]
    ptb = run(*commands[1], "--split-lemmas").stdout.splitlines()
    assert ptb == ["(TOP (IP (VBDI fór) (. .)))"] * 15


def rows_of(*arguments: object) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run(*arguments).stdout)))


@pytest.fixture
def texts(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("a.txt", "b.txt")]
    for path, lines in zip(paths, ("She saw it. It ran.\nWe slept.\n", "They go.\n"), strict=True):
        path.write_text(lines)
    return paths


def test_documents_of_conllu_are_named_after_their_files(tmp_path: Path, texts: list[Path]) -> None:
    heads = saved(tmp_path / "heads", "fake_heads")
    for options in ((), ("-p", "2")):
        lines = run("parse", heads, *texts, "-f", "conllu", *options).stdout.splitlines()
        places = [place for place, line in enumerate(lines) if line.startswith("# newdoc")]
        assert [lines[place] for place in places] == [f"# newdoc id = {one}" for one in texts]
        assert [lines[place + 1] for place in places] == ["# sent_id = 1-1", "# sent_id = 3-1"]
    output = run("parse", heads, texts[1], "-t", "A text.", "-f", "conllu").stdout
    assert "\n# newdoc\n# sent_id = 2-1\n" in output
    assert "# newdoc" not in run("parse", heads, "-t", "A text.", "-f", "conllu").stdout


@pytest.mark.parametrize("suffix", ["spacy", "conllu"])
def test_rows_name_the_text_that_they_come_from(
    suffix: str, tmp_path: Path, texts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = saved(tmp_path / "both", "fake_heads", "fake_trees")
    output, pattern = tmp_path / f"all.{suffix}", tmp_path / "pattern.json"
    pattern.write_text('[{"RIGHT_ID": "r", "RIGHT_ATTRS": {"DEP": "ROOT"}}]')
    run("parse", model, *texts, "-o", output)
    expected = [str(texts[0])] * 3 + [str(texts[1])]
    # Parts of a file are searched apart, and the id may stand in an earlier one.
    for n in (500, 1):
        monkeypatch.setattr(annotated_inputs, "PART", n)
        found = rows_of("search", "--dep", pattern, output, "-f", "csv")
        assert [row["document_id"] for row in found] == expected
    lines = run("search", "--dep", pattern, output, "-f", "jsonl").stdout.splitlines()
    assert [json.loads(line)["document_id"] for line in lines] == expected
    if suffix == "spacy":
        ids = [row["document_id"] for row in rows_of("measures", output)]
        assert ids == [str(texts[0])] * 2 + [str(texts[1])]
