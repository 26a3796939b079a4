"""An option that several commands have has the same short name in each."""

import pytest
import typer
from typer.main import get_command

from spacy_structparse.cli import app

SHORT = {
    "--batch-size": "-b", "--format": "-f", "--gpu-id": "-g", "--input-format": "-i",
    "--n-process": "-p", "--output": "-o", "--quiet": "-q", "--seed": "-s",
}  # fmt: skip


@pytest.mark.parametrize(("name", "short"), SHORT.items())
def test_short_names(name: str, short: str) -> None:
    group = get_command(app)
    context = typer.Context(group)
    found = {
        command: set(param.opts)
        for command in group.list_commands(context)  # type: ignore[attr-defined]
        for param in group.get_command(context, command).params  # type: ignore[attr-defined]
        if name in param.opts
    }
    assert len(found) > 1
    assert {command: opts for command, opts in found.items() if opts != {name, short}} == {}
