"""Commands and options of earlier releases say what to use instead."""

import pytest
import typer
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.cli.removed import COMMANDS, removed_options


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("arguments", [[], ["mine.cfg", "runs", "--set", "a=1"], ["--help"]])
def test_removed_commands_name_what_to_use(name: str, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, [name, *arguments])
    assert result.exit_code == 1
    assert " ".join(COMMANDS[name].split()) in " ".join(result.output.split())


def test_removed_commands_are_not_listed() -> None:
    listed = CliRunner().invoke(app, ["--help"]).output
    assert not [line for line in listed.splitlines() if line.split()[:1] in [[n] for n in COMMANDS]]


@pytest.mark.parametrize("given", [["--old", "1"], ["--old=1"]])
def test_removed_options_name_what_to_use(given: list[str]) -> None:
    own = typer.Typer()

    @own.command(cls=removed_options({"--old": "pass --new"}))
    def command(new: int = 0) -> None:
        typer.echo(new)

    result = CliRunner().invoke(own, given)
    assert result.exit_code == 2 and "--old was removed: pass --new" in result.output
    assert CliRunner().invoke(own, ["--new", "2"]).output == "2\n"


@pytest.mark.parametrize(
    ("command", "option", "remedy"),
    [
        ("convert", "--merge-multiword", "spacy convert --merge-subtokens"),
        ("convert", "-p", "leave it out"),
        ("parallel", "--target-lang", "by spaces"),
        ("parallel", "--max-length", "discard_oversize"),
    ],
)
def test_options_of_earlier_releases(command: str, option: str, remedy: str) -> None:
    result = CliRunner().invoke(app, [command, "in", "out", option, "2"])
    assert result.exit_code == 2
    assert f"{option} was removed" in result.output and remedy in " ".join(result.output.split())
