"""Commands that write a pipeline delete a pipeline at most: no input, and no file of the user."""

from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.training.atomic_to_disk import save_atomically
from tests.helpers.paths import ROOT

DATA = ROOT / "tests" / "saved" / "data"
COMMANDS = {
    "average": DATA / "spa_transition_bot",
    "compress": DATA / "spa_transition_bot",
    "ensemble": DATA / "trees_in_order_datt",
}
CONFIG = '[nlp]\nlang = "en"\npipeline = []\n'


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(command: str, model: Path | str, output: Path | str) -> tuple[int, str]:
    others = [] if command == "compress" else [str(model), "-o"]
    result = CliRunner().invoke(app, [command, str(model), *others, str(output)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, " ".join(result.output.split())


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"meta.json": "{}"}, "not a pipeline's folder"),
        ({"meta.json": "{}", "config.cfg": "[tool]\na = 1\n"}, "not a pipeline's folder"),
        ({"meta.json": "{}", "config.cfg": CONFIG, "notes.txt": "mine"}, "notes.txt"),
        ({"meta.json": "{}", "config.cfg": CONFIG, "data/a.spacy": "mine"}, "data"),
    ],
)
def test_what_is_no_pipeline_is_not_replaced(
    tmp_path: Path, command: str, files: dict[str, str], problem: str
) -> None:
    output = tmp_path / "out"
    for name, text in files.items():
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        (output / name).write_text(text)
    before = contents(tmp_path)
    code, message = run(command, COMMANDS[command], output)
    assert code == 1
    assert problem in message
    assert contents(tmp_path) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_around_an_input(
    tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The input is where a component of the outer pipeline could be."""
    outer = tmp_path / "outer"
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", name="inner")
    nlp.to_disk(outer)
    spacy.load(COMMANDS[command]).to_disk(outer / "inner")
    (tmp_path / "link").symlink_to(outer)
    before = contents(tmp_path)
    monkeypatch.chdir(outer)
    for model, output in (
        (outer / "inner", outer),
        (tmp_path / "link" / "inner", outer),
        ("inner", "."),
        (outer / "inner", tmp_path),
    ):
        code, message = run(command, model, output)
        assert code == 1
        assert "contains the input" in message
    code, message = run(command, outer / "inner", tmp_path / "link" / "inner")
    assert code == 1
    assert "is one of the pipelines" in message
    assert contents(tmp_path) == before


def test_a_pipeline_is_replaced(tmp_path: Path) -> None:
    output, model = tmp_path / "out", COMMANDS["average"]
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", name="mine")
    nlp.to_disk(output)
    code, message = run("average", model, output)
    assert code == 0, message
    assert not (output / "mine").exists()
    assert run("average", model, output)[0] == 0
    assert spacy.load(output).pipe_names


def test_a_folder_of_the_name_of_the_previous_pipeline_stays(tmp_path: Path) -> None:
    (tmp_path / "model.previous").mkdir()
    (tmp_path / "model.previous" / "notes.txt").write_text("mine")
    save_atomically(spacy.blank("xx"), tmp_path / "model")
    with pytest.raises(OSError, match=r"model\.previous"):
        save_atomically(spacy.blank("xx"), tmp_path / "model")
    assert (tmp_path / "model.previous" / "notes.txt").read_text() == "mine"
    assert spacy.load(tmp_path / "model").lang == "xx"
