"""Options that are numbers have bounds: no huge, infinite or missing number starts any work."""

import re
from copy import copy
from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from spacy_structparse.cli import app

GROUP: Any = get_command(app)
CONTEXT = typer.Context(GROUP)


def kind_of(param: Any) -> str:
    """The type that `--help` says, in the place of which a metavar stands."""
    typed = copy(param)
    typed.metavar = None
    record = typed.get_help_record(CONTEXT)
    shown = re.search(r"(?i)\b(int|float)[a-z]*( range)?>?$", record[0]) if record else None
    return shown[1].lower() if shown else ""


NUMBERS = [
    (command, param.opts[0], kind)
    for command in GROUP.list_commands(CONTEXT)
    for param in GROUP.get_command(CONTEXT, command).params
    if param.param_type_name == "option" and (kind := kind_of(param))
]


def test_there_are_numbers() -> None:
    assert {("parse", "--batch-size", "int"), ("sample", "--temperature", "float")} <= {*NUMBERS}


@pytest.mark.parametrize(("command", "option", "kind"), NUMBERS)
def test_a_number_has_bounds(command: str, option: str, kind: str) -> None:
    values = ["9" * 30, f"-{'9' * 30}"]
    if kind == "float":
        values += ["inf", "-inf", "nan", "1e300"]
    for value in values:
        result = CliRunner().invoke(app, [command, option, value])
        assert result.exit_code == 2, (value, result.output, result.exception)
        assert option in result.output


def test_more_parses_than_fit_in_memory_are_refused() -> None:
    result = CliRunner().invoke(app, ["parse", "-k", "99999", "model", "text"])
    assert result.exit_code == 2 and "--k-best" in result.output
