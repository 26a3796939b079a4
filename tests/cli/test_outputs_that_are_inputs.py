"""An output that is an input, or another output, is refused, and nothing is written."""

import os
from pathlib import Path

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_structparse.cli.output_checks import refuse_inputs

# FILE stands for the input and LINK for another name of it.
COMMANDS = [
    ("parse", "none", "FILE", "-o", "FILE"),
    ("search", "NP", "FILE", "-o", "FILE"),
    ("measures", "FILE", "-o", "LINK"),
    ("evalb", "OTHER", "FILE", "-o", "FILE"),
    ("conll18", "FILE", "OTHER", "-o", "LINK"),
    ("evaluate", "none", "FILE", "-o", "FILE"),
    ("vocabulary", "FILE", "LINK"),
    ("debug", "FILE", "--json", "FILE"),
    ("report", "FILE", "none", "-o", "FILE"),
    ("silver", "FILE", "out.spacy", "-m", "none", "--report", "FILE"),
    ("silver", "OTHER", "FILE", "-m", "none", "--exclude", "LINK"),
    ("silver", "OTHER", "FILE", "-m", "none", "--like", "FILE"),
    ("vectors", "FILE", "out", "--text", "LINK"),
    ("fit-config", "OTHER", "FILE", "LINK"),
    ("fit-config", "FILE", "OTHER", "LINK"),
    ("search", "--dep", "FILE", "OTHER", "-o", "LINK"),
    ("jackknife", "FILE", "LINK", "--config", "OTHER"),
    ("parallel", "OTHER", "FILE", "FILE"),
    ("translate", "none", "FILE", "-o", "FILE"),
    ("convert", "OTHER", "FILE", "out", "--report", "LINK"),
    ("compare", "none", "none", "--gold", "FILE", "-o", "LINK"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)  # where the other outputs would be
    file, other, link = (tmp_path / name for name in ("a.ptb", "b.ptb", "c.ptb"))
    for path in (file, other):
        path.write_text("(TOP (NP (DT the) (NN dog)))\n")
    os.link(file, link)
    places = {"FILE": str(file), "OTHER": str(other), "LINK": str(link)}
    args = ["structparse", *(places.get(one, one) for one in command)]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 1
    assert "it is an input" in " ".join(result.output.split())
    assert file.read_text() == other.read_text()


@pytest.mark.parametrize(
    "command",
    [
        ("parse", "none", "FOLDER", "-o", "FILE"),
        ("search", "NP", "FOLDER", "-i", "ptb", "-o", "FILE"),
        ("measures", "FOLDER", "-o", "FILE"),
        ("vocabulary", "FOLDER", "FILE"),
        ("debug", "OTHER", "FOLDER", "--json", "FILE"),
        ("fit-config", "OTHER", "FOLDER", "FILE"),
    ],
    ids=lambda command: command[0],
)
def test_a_file_in_an_input_folder(tmp_path: Path, command: tuple[str, ...]) -> None:
    folder, other = tmp_path / "corpus", tmp_path / "b.cfg"
    file = folder / "news" / "dev.ptb"
    file.parent.mkdir(parents=True)
    for path in (file, other):
        path.write_text("(TOP (NP (DT the) (NN dog)))\n")
    places = {"FOLDER": str(folder), "FILE": str(file), "OTHER": str(other)}
    args = ["structparse", *(places.get(one, one) for one in command)]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 1
    assert "one of the files in" in " ".join(result.output.split())
    assert file.read_text() == other.read_text()


def test_other_files_of_an_input_folder_are_outputs(tmp_path: Path) -> None:
    table = tmp_path / "measures.csv"
    table.touch()
    refuse_inputs([tmp_path], table, tmp_path / "new.ptb")


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.touch()
    refuse_inputs(["a text" * 1000, "NUL \0", "-", tmp_path, None], output, None, Path("-"))
    refuse_inputs(["/dev/stdin"], Path("/dev/stdin"))


@pytest.mark.parametrize(
    "command",
    [
        ("convert", "a.ptb", "b.spacy", "--report", "b.spacy"),
        ("convert", "a.ptb", "b.spacy", "--report", "./b.spacy"),
        ("silver", "a.ptb", "b.spacy", "-m", "none", "--report", "b.spacy"),
        ("evaluate", "none", "a.ptb", "-o", "b", "--displacy-path", "b"),
        ("report", "none", "a.ptb", "-o", "b.png", "--reliability", "b.png"),
        ("vectors", "a.ptb", "b", "--text", "b"),
    ],
    ids=lambda command: command[0],
)
def test_two_outputs_are_not_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ptb").write_text("(TOP (NP (DT the) (NN dog)))\n")
    result = CliRunner().invoke(app, ["structparse", *command])
    assert result.exit_code == 1
    assert "two outputs" in " ".join(result.output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["a.ptb"]
