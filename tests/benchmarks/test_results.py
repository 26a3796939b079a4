"""The pages of results are made from the files of results, and show commands that work."""

import re
import shlex
from importlib import import_module

import pytest
import typer
from typer.main import get_command

from benchmarks import make_results
from benchmarks.pages.command import shown_command
from benchmarks.record import RESULTS, read_result
from tests.helpers.paths import ROOT

NAMES = sorted(path.stem for path in RESULTS.glob("*.json"))


def test_pages_are_up_to_date() -> None:
    make_results.main(check=True)


@pytest.mark.parametrize("name", NAMES)
def test_shown_command_is_accepted(name: str) -> None:
    """Its benchmark takes the options, and writes the file that the page names."""
    _, _, module, *arguments = shlex.split(shown_command(read_result(name)).replace("\\\n", ""))
    app = typer.Typer()
    app.command()(import_module(module).main)
    context = get_command(app).make_context(module, arguments)
    # `first_use` and `fine_tuning` name their results by the pipeline.
    params = context.params
    suffix = params.get("name") or params.get("kind") or params["model"].rpartition("_")[2]
    assert f"{module.removeprefix('benchmarks.')}-{suffix}" == name
    for config in re.findall(r"[\w/]*configs/\w+\.cfg", " ".join(arguments)):
        assert (ROOT / config).exists()
