"""Commands and options of earlier releases say what to use instead."""

import pytest

from spacy_structparse.cli.removed import COMMANDS, OPTIONS, RENAMED
from tests.helpers.commands import said


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("arguments", [[], ["mine.cfg", "runs", "--set", "a=1"], ["--help"]])
def test_removed_commands_name_what_to_use(name: str, arguments: list[str]) -> None:
    assert COMMANDS[name] in said(name, *arguments, status=1)


@pytest.mark.parametrize(
    ("command", "given"),
    [
        *((command, option) for command, options in OPTIONS.items() for option in options),
        ("evalb", "--cutoff=40"),
    ],
)
def test_removed_options_name_what_to_use(command: str, given: str) -> None:
    option = given.partition("=")[0]
    remedy = OPTIONS[RENAMED.get(command, command).split()[0]][option]
    out = said(command, "in", "out", given, status=2)
    assert f"{option} was removed: {remedy}" in out
