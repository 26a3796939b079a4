"""The README says what is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from spacy_structparse.cli import app

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)


def test_the_two_commands() -> None:
    install = "python -m pip install -c constraints.txt -e"
    for command in (
        f"{install} . && python -m spacy project run all",
        f'{install} ".[test]" && python -m pytest',
    ):
        assert command in README.splitlines()


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_examples_print_what_is_shown(code: str, printed: str, tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == printed


def test_every_example_is_tested() -> None:
    assert len(EXAMPLES) == README.count("```python") >= 2


def test_commands_and_options_exist() -> None:
    group = get_command(app)
    context = typer.Context(group)
    joined = README.replace("\\\n", " ")
    found = re.findall(r"python -m spacy structparse ([a-z-]+)([^\n]*)", joined)
    assert found
    for name, rest in found:
        subcommand = group.get_command(context, name)  # type: ignore[attr-defined]
        assert subcommand is not None, name
        options = {option for param in subcommand.params for option in param.opts}
        used = re.findall(r"(?<= )--[a-z-]+", rest.partition("`")[0])
        assert set(used) <= options, name


def test_linked_files_exist() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    # Written by benchmarks/make_results.py.
    assert [link for link in links if not (ROOT / link).exists()] in ([], ["docs/results.md"])
