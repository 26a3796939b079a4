"""A command stops before its work if an output exists (`--no-clobber`) or cannot be written."""

from pathlib import Path

import pytest
from typer.main import get_command

from spacy_structparse.cli.app import app
from spacy_structparse.cli.output_checks import check_outputs
from spacy_structparse.tools.figures.commands.pictures import numbered_pictures
from tests.helpers.commands import said

# A file that is there is kept without being asked for, or nothing is written.
WITHOUT = {"app", "init-config", "lm", "parse-corpus", "table", "train"}


def test_every_command_with_an_output_has_it() -> None:
    for name, command in get_command(app).commands.items():
        options = {option for parameter in command.params for option in parameter.opts}
        assert ("--no-clobber" in options) == (name not in WITHOUT), name


def test_an_output_stays(tmp_path: Path) -> None:
    treebank, output = tmp_path / "a.conllu", tmp_path / "a.spacy"
    treebank.write_text("1\tA\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    said("convert", treebank, output, "--no-clobber")
    output.write_bytes(b"mine")
    out = said("convert", treebank, output, "--no-clobber", status=1)
    assert "a.spacy" in out and "--no-clobber" in out
    assert output.read_bytes() == b"mine"
    said("convert", treebank, output)
    assert output.read_bytes() != b"mine"


def test_what_counts_as_there(tmp_path: Path) -> None:
    check_outputs(True, tmp_path / "none", tmp_path, None, Path("/dev/null"))
    (tmp_path / "p[1]-2.png").touch()
    check_outputs(False, tmp_path)
    for output in (tmp_path, *numbered_pictures(tmp_path / "p[1].png")[1:]):
        with pytest.raises(ValueError, match="--no-clobber"):
            check_outputs(True, output)
    assert len(numbered_pictures(tmp_path / "p[1].png")) == 2


@pytest.mark.parametrize(
    "command",
    [
        ("parse", "none", "FILE", "-o", "OUTPUT", "-f", "spacy"),
        ("vectors", "FILE", "OUTPUT"),
    ],
    ids=lambda command: command[0],
)
def test_a_place_that_cannot_be_written(tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "a.conllu"
    file.touch()
    places = {"FILE": str(file), "OUTPUT": str(file / "sub" / "out")}
    out = said(*(places.get(one, one) for one in command), status=1)
    assert "a.conllu is a file, not a folder" in out


def test_places_without_the_right_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "locked"
    inside = folder / "inside"
    inside.mkdir(parents=True)
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != folder)
    for output in (folder / "new", folder / "deep" / "new", inside):
        with pytest.raises(ValueError, match="locked may not be written"):
            check_outputs(False, output)
    # An open file is written into, wherever it is.
    with (folder / "open").open("wb") as file:
        check_outputs(True, Path(f"/dev/fd/{file.fileno()}"))
