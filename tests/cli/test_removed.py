"""Commands and options of earlier releases say what to use instead."""

import pytest
from typer.testing import CliRunner

from spacy_structparse.cli import app
from spacy_structparse.cli.removed import COMMANDS, OPTIONS


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("arguments", [[], ["mine.cfg", "runs", "--set", "a=1"], ["--help"]])
def test_removed_commands_name_what_to_use(name: str, arguments: list[str]) -> None:
    result = CliRunner().invoke(app, [name, *arguments])
    assert result.exit_code == 1
    assert " ".join(COMMANDS[name].split()) in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("command", "given"),
    [
        *((command, next(iter(options))) for command, options in OPTIONS.items()),
        ("convert", "--n-process=2"),
        ("lm nearest", "-m"),
    ],
)
def test_removed_options_name_what_to_use(command: str, given: str) -> None:
    result = CliRunner().invoke(app, [*command.split(), "in", "out", given])
    option = given.partition("=")[0]
    remedy = OPTIONS[command.split()[-1]][option]
    assert result.exit_code == 2
    assert f"{option} was removed: {remedy}" in " ".join(result.output.split())
