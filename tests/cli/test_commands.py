"""The commands and options: few, in groups, with the same short names and with bounds."""

import re
from collections import defaultdict
from collections.abc import Iterator
from copy import copy
from typing import Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner, Result

from spacy_structparse import __version__
from spacy_structparse.cli import app
from spacy_structparse.cli.app import GROUPS, PLUMBING, RENAMED, group_of

MOST_COMMANDS, MOST_OPTIONS = 20, 12
GROUP: Any = get_command(app)
CONTEXT = typer.Context(GROUP)
SHORT = {
    "--batch-size": "-b", "--format": "-f", "--gpu-id": "-g", "--input-format": "-i",
    "--n-process": "-p", "--output": "-o", "--quiet": "-q", "--seed": "-s",
}  # fmt: skip


def leaves(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(leaves(GROUP))


def kind_of(param: Any) -> str:
    """The type that `--help` says, in the place of which a metavar stands."""
    typed = copy(param)
    typed.metavar, typed.hidden = None, False
    record = typed.get_help_record(CONTEXT)
    shown = re.search(r"(?i)\b(int|float)[a-z]*( range)?>?$", record[0]) if record else None
    return shown[1].lower() if shown else ""


NUMBERS = [
    (path, param.opts[0], kind)
    for path, command in COMMANDS.items()
    for param in command.params
    if param.param_type_name == "option" and (kind := kind_of(param))
]


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def test_visible_commands_are_few_and_in_groups() -> None:
    visible = {name: group_of(c) for name, c in GROUP.commands.items() if not c.hidden}
    assert len(visible) <= MOST_COMMANDS, visible
    assert set(visible.values()) == {*GROUPS} - {PLUMBING}
    printed = invoke("-h").output
    assert "..." not in printed.partition("\n\n")[2]  # no line is cut
    shown = re.split(r"\n(\w[\w ]+):\n", printed)
    sections = dict(zip(shown[1::2], shown[2::2], strict=True))
    for name, group in visible.items():
        assert re.search(rf"^  {name} ", sections[group], re.MULTILINE)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_visible_options_are_few(path: tuple[str, ...]) -> None:
    visible = [param.opts[0] for param in COMMANDS[path].params if not param.hidden]
    options = [name for name in visible if name.startswith("-")]
    if not COMMANDS[path].hidden:
        assert len(options) <= MOST_OPTIONS, options


@pytest.mark.parametrize("path", [(), ("parse",), ("lm", "sample")], ids=" ".join)
def test_version(path: tuple[str, ...]) -> None:
    assert invoke(*path, "--version").stdout == f"spacy-structparse {__version__}\n"


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_is_the_new_command(old: str, new: str) -> None:
    result = invoke(old, "--help")
    assert result.exit_code == 0 and f"'{new}'" in result.stderr
    assert result.stdout == invoke(*new.split(), "--help").stdout


def test_short_names() -> None:
    shorts: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for command in COMMANDS.values():
        for param in command.params:
            shorts[param.opts[0]].add(tuple(param.opts))
    assert {name: shorts[name] for name in SHORT} == {
        name: {(name, short)} for name, short in SHORT.items()
    }


@pytest.mark.parametrize(("path", "option", "kind"), NUMBERS)
def test_a_number_has_bounds(path: tuple[str, ...], option: str, kind: str) -> None:
    """No huge, infinite or missing number starts any work."""
    values = ["9" * 30, f"-{'9' * 30}"]
    if kind == "float":
        values += ["inf", "-inf", "nan", "1e300"]
    for value in values:
        result = invoke(*path, option, value)
        assert result.exit_code == 2, (value, result.output, result.exception)
        assert option in result.output
